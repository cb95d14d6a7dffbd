import { reconciliationId } from '../../api/values/reconciliation-id.ts'
import { timestamp } from '../../database/timestamp.ts'
import { redemptionById } from '../../gift-cards/redemptions/redemption.ts'
import { type OperationRow, type OperationStatus, shownStatus } from '../../operations/operation.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { operationCodes } from './capture.representation.ts'
import type { Refund, RefundStatus } from './refund.schema.ts'

const refundStatus: Record<OperationStatus, RefundStatus> = {
  queued: 'processing',
  sent: 'processing',
  unknown: 'processing',
  pending: 'processing',
  approved: 'succeeded',
  declined: 'declined',
  failed: 'failed',
}

/** The part of a transaction that its refunds show. */
type RefundedTransaction = Pick<TransactionRow, 'external_identifier' | 'payment_method' | 'gift_cards'>

/**
 * The stored payment method or gift card that gets the money back; null: it is not stored (semantics §4.1).
 */
function refundTargetId(
  { kind, input }: OperationRow,
  { payment_method: method, gift_cards: giftCards }: RefundedTransaction,
): string | null {
  if (kind === 'gift-card-refund') return redemptionById(giftCards, input.redemption)?.gift_card.id ?? null
  return method?.provisional ? null : (method?.id ?? null)
}

export function showRefund(operation: OperationRow, transaction: RefundedTransaction): Refund {
  const { code, ...raw } = operationCodes(operation)
  return {
    type: 'refund',
    id: operation.id,
    transaction_id: operation.transaction_id,
    payment_service_refund_id: operation.payment_service_operation_id,
    status: refundStatus[shownStatus(operation)],
    currency: operation.currency,
    amount: operation.amount,
    reason: operation.input.reason ?? null,
    target_type: operation.kind === 'gift-card-refund' ? 'gift-card-redemption' : 'payment-method',
    target_id: refundTargetId(operation, transaction),
    gift_card_redemption_id: operation.input.redemption ?? null,
    reconciliation_id: reconciliationId(operation.id),
    external_identifier: operation.input.external_identifier ?? null,
    transaction_reconciliation_id: reconciliationId(operation.transaction_id),
    transaction_external_identifier: transaction.external_identifier,
    created_at: timestamp(operation.created_at),
    updated_at: timestamp(operation.updated_at),
    creator: operation.input.creator ?? null,
    error_code: code,
    ...raw,
    settled_currency: operation.settled_currency ?? null,
    settled_amount: operation.settled_amount ?? 0,
    settled: operation.settled_currency != null,
  }
}
