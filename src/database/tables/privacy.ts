/** A buyer whose personal data are to be erased, or were. */
export interface BuyerErasureTable {
  merchant_account_id: string
  buyer_id: string
  external_identifier: string | null
  /** Payments, payouts and links that wait for what is under way. */
  waiting: number
  due_at: string | null
  requested_at: string
  completed_at: string | null
  created_at: string
  updated_at: string
}
