import { type BookedOperation, record } from '../../core/books.ts'
import type { Payment } from '../../core/payment.ts'
import { approveNow, isPending } from '../../core/pending.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import { findDocument, hasExpired, type Order, storeDocument } from './documents.ts'
import { errorAnswer } from './refusals.ts'
import { noContent } from './request.ts'

export const noOrder = () => errorAnswer(404, 'NO_SUCH_ORDER', 'There is no such order')

/** An order with its payment in the books. */
export interface OrderWithPayment {
  order: Order
  payment: Payment
}

export function orderOf(sandbox: Sandbox, service: string, id: string): OrderWithPayment | undefined {
  const order = findDocument(sandbox, service, 'order', id)
  const payment = sandbox.books.payments.get(id)
  return order && payment && { order, payment }
}

/** The operations on an order, with the merchant's reference of each. */
function operationsOf(
  { books }: Sandbox,
  { operations }: Order,
): (BookedOperation & { reference: string | null })[] {
  return operations.flatMap(({ key, reference }) => {
    const booked = books.operations.get(key)
    return booked ? [{ ...booked, reference }] : []
  })
}

/** Reads an order. A pending operation becomes final once the merchant has read that it is pending. */
export function readOrder({ sandbox, service }: ProviderRequest, id: string): Answer {
  const found = orderOf(sandbox, service, id)
  if (!found) return noOrder()
  for (const booked of operationsOf(sandbox, found.order))
    if (booked.reported && isPending(booked)) approveNow(sandbox, booked.result.key)
  const unreported = operationsOf(sandbox, found.order).filter(
    (booked) => isPending(booked) && !booked.reported,
  )
  const answer: Answer = { ...json(200, view(sandbox, found)), key: found.payment.opened_by }
  if (unreported.length > 0)
    answer.delivered = () => {
      for (const { result } of unreported) record(sandbox.books, { entry: 'reported', key: result.key })
    }
  return answer
}

function view(sandbox: Sandbox, { order, payment }: OrderWithPayment) {
  const { body, id, created_at, expires_at } = order
  return {
    order_id: id,
    status: statusOf(sandbox, { order, payment }),
    fraud_status: risk[payment.authorization],
    order_amount: body.order_amount,
    original_order_amount: body.order_amount,
    captured_amount: payment.captured,
    refunded_amount: payment.refunded,
    remaining_authorized_amount: remaining(sandbox, { order, payment }),
    purchase_country: body.purchase_country,
    purchase_currency: body.purchase_currency,
    order_lines: body.order_lines,
    merchant_reference1: body.merchant_reference1,
    merchant_reference2: body.merchant_reference2,
    created_at,
    expires_at,
    captures: captures(sandbox, order),
    refunds: refunds(sandbox, order),
  }
}

const risk = {
  approved: 'ACCEPTED',
  pending: 'PENDING',
  declined: 'REJECTED',
  failed: 'PENDING',
} as const satisfies Record<Payment['authorization'], string>

const effectiveOperations = (sandbox: Sandbox, order: Order, kinds: readonly string[]) =>
  operationsOf(sandbox, order).filter(
    ({ result }) =>
      kinds.includes(result.kind) && (result.status === 'approved' || result.status === 'pending'),
  )

/** The captures of an order. One without a time is accepted, but not executed yet. */
function captures(sandbox: Sandbox, order: Order) {
  const decided = effectiveOperations(sandbox, order, ['capture', 'sale']).filter(
    ({ result }) => result.kind === 'capture' || result.status === 'approved',
  )
  return decided.map(({ result, reference }) => ({
    capture_id: result.kind === 'sale' ? `cap_${result.id}` : result.id,
    captured_amount: result.amount,
    ...(reference && { reference }),
    ...(result.status === 'approved' && { captured_at: result.processed_at }),
  }))
}

const refunds = (sandbox: Sandbox, order: Order) =>
  effectiveOperations(sandbox, order, ['refund']).map(({ result, reference }) => ({
    refund_id: result.id,
    refunded_amount: result.amount,
    ...(reference && { reference }),
    ...(result.status === 'approved' && { refunded_at: result.processed_at }),
  }))

export function statusOf(sandbox: Sandbox, { order, payment }: OrderWithPayment): string {
  if (payment.voided || payment.authorization === 'failed') return 'CANCELLED'
  if (payment.captured > 0)
    return payment.captured === payment.authorized || order.released ? 'CAPTURED' : 'PART_CAPTURED'
  return hasExpired(sandbox, order) ? 'EXPIRED' : 'AUTHORIZED'
}

/** The amount that can still be captured. */
export function remaining(sandbox: Sandbox, { order, payment }: OrderWithPayment): number {
  if (order.released || payment.voided || payment.authorization !== 'approved' || hasExpired(sandbox, order))
    return 0
  return Math.max(0, payment.authorized - payment.captured - (payment.pending.capture ?? 0))
}

export function listCaptures({ sandbox, service }: ProviderRequest, id: string): Answer {
  const found = orderOf(sandbox, service, id)
  return found ? json(200, captures(sandbox, found.order)) : noOrder()
}

export function readCapture({ sandbox, service }: ProviderRequest, id: string, captureId: string): Answer {
  const found = orderOf(sandbox, service, id)
  const capture = found && captures(sandbox, found.order).find(({ capture_id }) => capture_id === captureId)
  return capture ? json(200, capture) : errorAnswer(404, 'NO_SUCH_CAPTURE', 'There is no such capture')
}

export function readRefund({ sandbox, service }: ProviderRequest, id: string, refundId: string): Answer {
  const found = orderOf(sandbox, service, id)
  const refund = found && refunds(sandbox, found.order).find(({ refund_id }) => refund_id === refundId)
  return refund ? json(200, refund) : errorAnswer(404, 'NOT_FOUND', 'There is no such refund')
}

const DAY_MS = 24 * 3_600_000
const EXTENSION_MS = 28 * DAY_MS

/** Releases the amount that is not captured. */
export function releaseRemaining({ sandbox, service }: ProviderRequest, id: string): Answer {
  const found = orderOf(sandbox, service, id)
  if (!found) return noOrder()
  if (found.payment.captured === 0)
    return errorAnswer(403, 'NOT_ALLOWED', 'Nothing of this order is captured')
  storeDocument(sandbox, 'order', id, { ...found.order, released: true })
  return noContent
}

export function extendTime({ sandbox, service }: ProviderRequest, id: string): Answer {
  const found = orderOf(sandbox, service, id)
  if (!found) return noOrder()
  if (remaining(sandbox, found) === 0)
    return errorAnswer(403, 'NOT_ALLOWED', 'Nothing of this order is left to capture')
  const expires_at = new Date(Date.parse(found.order.expires_at) + EXTENSION_MS).toISOString()
  storeDocument(sandbox, 'order', id, { ...found.order, expires_at })
  return noContent
}

/** Marks an order as expired. */
export function expireOrder(sandbox: Sandbox, { payment_service_id, payment_id }: Payment): void {
  const order = findDocument(sandbox, payment_service_id, 'order', payment_id)
  if (order) storeDocument(sandbox, 'order', payment_id, { ...order, expires_at: timestamp(sandbox) })
}
