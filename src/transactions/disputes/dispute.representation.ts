import { timestamp, timestampOrNull } from '../../database/timestamp.ts'
import type { Dispute } from './dispute.schema.ts'
import type { DisputeRow } from './dispute.store.ts'

export const showDispute = (row: DisputeRow): Dispute => ({
  type: 'dispute',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  payment_service_id: row.payment_service_id,
  payment_service_dispute_id: row.payment_service_dispute_id,
  transaction_id: row.transaction_id,
  status: row.status,
  amount: row.amount,
  currency: row.currency,
  reason_code: row.reason_code,
  reason: row.reason,
  withdrawn_amount: row.withdrawn_amount,
  returned_amount: row.returned_amount,
  evidence_due_at: timestampOrNull(row.evidence_due_at),
  evidence_submitted_at: timestampOrNull(row.evidence_submitted_at),
  accepted_at: timestampOrNull(row.accepted_at),
  discrepancy: row.discrepancy,
  opened_at: timestamp(row.opened_at),
  closed_at: timestampOrNull(row.closed_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
