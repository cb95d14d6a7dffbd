import type { LIMIT_GONE } from './functions/spending.sql.ts'
import { isViolation } from './journal.ts'

export { LIMIT_GONE } from './functions/spending.sql.ts'

/** Why the statement that intends an operation has refused it, and written nothing. */
export type SpendingRefusal = ExceededLimit | typeof LIMIT_GONE

/** A spending limit that an operation would exceed, with what is used of it; amounts as in `SpendingLimit`. */
export interface ExceededLimit {
  id: string
  operation: string
  currency: string
  day: string
  /** Of the operation that was refused. */
  amount: number
  per_operation: number | null
  per_day: number | null
  per_buyer_per_day: number | null
  count_per_day: number | null
  used: number
  count: number
  used_for_buyer: number
}

/**
 * Several operations may be the first of a day or of a buyer at once: one inserts the row that counts, and the
 * others find it when they are sent again.
 */
export async function retryFirstUse<T>(intend: () => Promise<T>): Promise<T> {
  try {
    return await intend()
  } catch (error) {
    if (isViolation(error, 'spending_usage_pkey')) return retryFirstUse(intend)
    throw error
  }
}
