import type { Statements } from '../database/statements.ts'

/** What is not as the journal of operations makes it. */
export interface Finding {
  merchant_account_id: string
  /** The transaction that it is about; else the payout, the payment link, or what else the problem names. */
  transaction_id: string
  problem: string
  stored: string
  computed: string
}

/** Of each kind of problem so many are listed. */
export const MAX_FINDINGS = 100

/** A look for what must never be in the tables. */
export type TableCheck = (run: Statements) => Promise<Finding[]>

/** One statement, in one snapshot, that answers findings. `values`: of its parameters. */
export const check =
  (statement: string, values: readonly unknown[] = []): TableCheck =>
  (run) =>
    run<Finding & Record<string, unknown>>(`${statement}\n limit ${MAX_FINDINGS}`, values)

/** What is compared with what: two values as text, and a problem where they differ. `rows` says whose they are. */
export const comparisonSql = (
  account: string,
  id: string,
  rows: string,
  pairs: readonly (readonly [problem: string, stored: string, computed: string])[],
) => `
select ${account} as merchant_account_id, ${id} as transaction_id, problem, coalesce(stored, 'nothing') as stored, coalesce(computed, 'nothing') as computed
  from ${rows},
       lateral (values
         ${pairs.map(([problem, stored, computed]) => `('${problem}', (${stored})::text, (${computed})::text)`).join(',\n         ')}
       ) as compared (problem, stored, computed)
 where stored is distinct from computed`

export const finalStatusesInSql = `('approved', 'declined', 'failed')`
