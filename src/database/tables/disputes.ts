import type { Json } from '../json.ts'

/** A notice of a dispute as it is stored (src/transactions/disputes/dispute-state.ts). */
export interface StoredDisputeNotice {
  status: DisputeStatus
  amount: number
  currency: string
  funds: 'withdrawn' | 'returned' | null
  reason_code: string | null
  reason: string | null
  evidence_due_at: string | null
  occurred_at: string
}

export type DisputeStatus =
  | 'inquiry'
  | 'needs_response'
  | 'under_review'
  | 'won'
  | 'lost'
  | 'accepted'
  | 'closed'

/** Why the payment service's word does not fit the payment. */
export type DisputeDiscrepancy = 'unknown_transaction' | 'other_currency' | 'amount_exceeds'

export interface DisputeTable {
  merchant_account_id: string
  id: string
  payment_service_id: string
  payment_service_dispute_id: string
  transaction_id: string | null
  notices: Json<StoredDisputeNotice[]>
  status: DisputeStatus
  amount: number
  currency: string
  reason_code: string | null
  reason: string | null
  is_chargeback: boolean
  withdrawn_amount: number
  returned_amount: number
  evidence_due_at: string | null
  opened_at: string
  closed_at: string | null
  discrepancy: DisputeDiscrepancy | null
  evidence_submitted_at: string | null
  accepted_at: string | null
  created_at: string
  updated_at: string
}
