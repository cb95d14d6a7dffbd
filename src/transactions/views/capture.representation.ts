import type { CartItem } from '../../checkout/cart-item.schema.ts'
import { showCartItem } from '../../checkout/cart-item.ts'
import { timestamp, timestampOrNull } from '../../database/timestamp.ts'
import { type OperationRow, type OperationStatus, shownStatus } from '../../operations/operation.ts'
import type { AnswerRows, TransactionRow } from '../transaction.row.ts'
import type { Capture, CaptureStatus, TransactionCapture } from './capture.schema.ts'
import { showTransaction } from './transaction.representation.ts'

/** An operation without a final outcome is a pending capture to the merchant. */
export const captureStatus: Record<OperationStatus, CaptureStatus> = {
  queued: 'pending',
  sent: 'pending',
  unknown: 'pending',
  pending: 'pending',
  approved: 'succeeded',
  declined: 'declined',
  failed: 'failed',
}

/** The codes of an operation, as the answers to a capture, void, cancellation and increment show them. */
export function operationCodes({ late_failure: failure, error_code: code, facts }: OperationRow) {
  const raw = failure ?? facts
  return {
    code: failure?.code ?? code,
    raw_response_code: raw.raw_response_code ?? null,
    raw_response_description: raw.raw_response_description ?? null,
  }
}

export function showTransactionCapture({ transaction, operation }: Required<AnswerRows>): TransactionCapture {
  const shown = showTransaction(transaction)
  return {
    type: 'transaction-capture',
    status: captureStatus[operation.status],
    ...operationCodes(operation),
    transaction: shown,
    capture_id: operation.id,
    payment_service_capture_id: operation.payment_service_operation_id,
    external_identifier: operation.input.external_identifier ?? null,
    billing_details: shown.buyer?.billing_details ?? null,
    shipping_details: shown.shipping_details,
  }
}

/** A capture, or a sale as a final capture (semantics §3.11). */
export function showCapture(operation: OperationRow, transaction: TransactionRow): Capture {
  const { code, ...raw } = operationCodes(operation)
  return {
    type: 'capture',
    id: operation.id,
    merchant_account_id: operation.merchant_account_id,
    transaction_id: operation.transaction_id,
    xid: operation.payment_service_operation_id,
    currency: operation.currency,
    amount: operation.effective_amount ?? operation.amount,
    status: captureStatus[shownStatus(operation)],
    final: operation.input.final ?? true,
    created_at: timestamp(operation.created_at),
    updated_at: timestamp(operation.updated_at),
    captured_at: shownStatus(operation) === 'approved' ? timestampOrNull(operation.settled_at) : null,
    external_identifier: operation.input.external_identifier ?? null,
    error_code: code,
    ...raw,
    iso_response_code: operation.facts.iso_response_code ?? null,
    transaction_external_identifier: transaction.external_identifier,
    cart_items: (operation.input.cart_items as CartItem[] | null | undefined)?.map(showCartItem) ?? null,
  }
}
