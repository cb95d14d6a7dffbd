/** A buyer whose personal data are being erased, or were. */
export interface BuyerErasureTable {
  merchant_account_id: string
  buyer_id: string
  external_identifier: string | null
  /** The number of payments, payouts and links whose erasure waits for open operations. */
  waiting: number
  due_at: string | null
  requested_at: string
  completed_at: string | null
  created_at: string
  updated_at: string
}
