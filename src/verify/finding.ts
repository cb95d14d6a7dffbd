import type { Statements } from '../database/statements.ts'

/** A stored value that differs from the value computed from the journal. */
export interface Finding {
  merchant_account_id: string
  /** The transaction; else the payout, the payment link or the other resource that the problem names. */
  transaction_id: string
  problem: string
  stored: string
  computed: string
}

/** The maximum number of findings of each problem. */
export const MAX_FINDINGS = 100

/** Searches the tables for rows that must never exist. */
export type TableCheck = (run: Statements) => Promise<Finding[]>

/** A check of one statement, thus of one snapshot, that returns findings. `values`: its parameters. */
export const check =
  (statement: string, values: readonly unknown[] = []): TableCheck =>
  (run) =>
    run<Finding & Record<string, unknown>>(`${statement}\n limit ${MAX_FINDINGS}`, values)

/**
 * SQL that compares values of `rows`, which may end with a condition, as text: for each comparison the problem, the stored and the computed
 * value.
 */
export const comparisonSql = (
  account: string,
  id: string,
  rows: string,
  pairs: readonly (readonly [problem: string, stored: string, computed: string])[],
) => `
select merchant_account_id, transaction_id, problem, coalesce(stored, 'nothing') as stored, coalesce(computed, 'nothing') as computed
  from (select ${account} as merchant_account_id,
               ${id} as transaction_id,
               unnest(array[${pairs.map(([problem]) => `'${problem}'`).join(', ')}]) as problem,
               unnest(array[${pairs.map(([, stored]) => `(${stored})::text`).join(', ')}]) as stored,
               unnest(array[${pairs.map(([, , computed]) => `(${computed})::text`).join(', ')}]) as computed
          from ${rows}) compared
 where stored is distinct from computed`

/**
 * Payments with lower ids are retired (docs/operations/partitions.md): a row that names one of them cannot be
 * compared with it. The journal's chain shows whether payments are missing that were not retired. A subquery, so that
 * PostgreSQL computes it once for a statement.
 */
export const retiredBelow = '(select retired_below())'

/**
 * SQL: an operation that is missing is not of a retired payment. A later refund of such a payment has a higher id, and
 * events that name the payment. Two conditions for a `where`, so that PostgreSQL reads the events once: an `or` of them
 * reads all events for each row.
 */
export const isNotOfRetiredPayment = (account: string, operation: string) => `${operation} >= ${retiredBelow}
   and not exists (select from events retired_event
                    where ${retiredBelow} > '00000000-0000-0000-0000-000000000000'
                      and retired_event.merchant_account_id = ${account}
                      and retired_event.target_id = ${operation}
                      and (retired_event.target->>'transaction_id')::uuid < ${retiredBelow})`

export const finalStatusesInSql = `('approved', 'declined', 'failed')`
