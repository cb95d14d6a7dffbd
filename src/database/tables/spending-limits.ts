/** Amounts are in the smallest unit of the currency; null: not limited. */
export interface SpendingLimitTable {
  merchant_account_id: string
  id: string
  subject_type: 'api-key-pair' | 'user'
  subject_id: string
  operation: 'refund' | 'payout' | 'capture' | 'void'
  currency: string
  per_operation: number | null
  per_day: number | null
  per_buyer_per_day: number | null
  count_per_day: number | null
  created_at: string
  updated_at: string
}

export interface SpendingUsageTable {
  merchant_account_id: string
  spending_limit_id: string
  /** In UTC. */
  day: string
  /** Empty: of the whole day. */
  buyer: string
  used: number
  count: number
}
