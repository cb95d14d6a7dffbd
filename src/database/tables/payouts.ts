/**
 * The columns that lists of payouts filter and sort by; the row itself is read as JSON
 * (`payouts/payout.row.ts`).
 */
export interface PayoutTable {
  merchant_account_id: string
  id: string
  status: string
  external_identifier: string | null
  payment_service_payout_id: string | null
  created_at: string
  updated_at: string
}
