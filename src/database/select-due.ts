import { isInCurrentTimeSql } from '../base/account-clock.ts'

export interface DueRows {
  table: string
  /** The primary key. */
  key: readonly string[]
  /** Which rows are due. */
  condition: string
  /** The column by which the longest due row comes first. */
  orderBy: string
  /** A number, or a parameter. */
  limit: number | string
  /** The number of the first of the two parameters for `currentTimeValues()`. */
  timeParameter: number
}

/**
 * Selects the keys of due rows and locks them; rows that another process has locked are skipped. For the CTE
 * `due`, or the subquery `due`, of a statement that leases the rows or does their work.
 */
export const selectDueSql = ({ table, key, condition, orderBy, limit, timeParameter }: DueRows): string => `
  select ${key.join(', ')}
    from ${table}
   where ${condition}
     and ${isInCurrentTimeSql('merchant_account_id', timeParameter)}
   order by ${orderBy}
   limit ${limit}
     for update skip locked`
