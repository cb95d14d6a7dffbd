import type { QueryResultRow } from 'pg'
import { currentTimeValues, isInCurrentTimeSql } from '../../base/account-clock.ts'
import type { Statements } from '../statements.ts'

/** Rows that are jobs, each for one process alone. */
export interface DueRows {
  table: string
  /** The primary key after the account; all of it are UUIDs. */
  key: readonly string[]
  /** Which rows are due: SQL, with a parameter for each of `values`, the time first. */
  condition: (...values: string[]) => string
  /** The column by which the longest due row comes first. */
  orderBy: string
  /** True: a claim waits for a row that is locked, and looks again whether it is due. Absent: it is skipped. */
  waits?: true
}

interface DueParameters {
  account: string
  /** For each column of the key, the array of the values that `claimDue` has found. */
  keys: readonly string[]
  values: readonly string[]
  limit: string | number
}

/**
 * Selects the keys of an account's due rows and locks them; rows that another process has locked are skipped, unless
 * `waits`. For the CTE `due`, or the subquery `due`, of a statement that leases the rows or does their work. It names
 * its account everywhere, so that Citus runs it on the account's shard.
 */
export const selectDueSql = (
  { table, key, condition, orderBy, waits }: DueRows,
  { account, keys, values, limit }: DueParameters,
): string => `
  select merchant_account_id, ${key.join(', ')}
    from ${table}
   where merchant_account_id = ${account}
     and (${key.join(', ')}) in (select * from unnest(${keys.map((each) => `${each}::uuid[]`).join(', ')}))
     and ${condition(...values)}
   order by ${orderBy}
   limit ${limit}
     for update${waits ? '' : ' skip locked'}`

const selectCandidates = ({ table, key, condition, orderBy }: DueRows, values: number, limit: number) => `
select merchant_account_id, ${key.join(', ')}
  from ${table}
 where ${condition(...Array.from({ length: values }, (_, index) => `$${index + 1}`))}
   and ${isInCurrentTimeSql('merchant_account_id', values + 1)}
 order by ${orderBy}
 limit ${limit}`

/** Rows that are looked at for a claim of few: another process may be claiming the first ones. */
const MIN_CANDIDATES = 32

interface Claim {
  values: readonly (string | readonly string[])[]
  limit: number
}

/**
 * Claims up to `limit` due rows of all accounts: reads which are due without a lock, then calls `claim` for each
 * account with the values of the key's columns. Its statement, with `selectDueSql`, decides again.
 */
export async function claimDue<Row>(
  run: Statements,
  due: DueRows,
  { values, limit }: Claim,
  claim: (account: string, keys: readonly (readonly string[])[], limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const candidates = await run<QueryResultRow & Record<string, string>>(
    selectCandidates(due, values.length, Math.max(MIN_CANDIDATES, 2 * limit)),
    [...values, ...currentTimeValues()],
  )
  const claimed: Row[] = []
  for (const [account, rows] of Map.groupBy(candidates, (row) => row['merchant_account_id'] ?? '')) {
    if (claimed.length >= limit) break
    const keys = due.key.map((column) => rows.map((row) => row[column] ?? ''))
    claimed.push(...(await claim(account, keys, limit - claimed.length)))
  }
  return claimed
}
