import type { BookedOperation } from '../../core/books.ts'
import type { Result } from '../../core/operation.ts'
import type { Sandbox } from '../../sandbox.ts'
import { type Money, moneyOf } from './money.ts'
import { operationsOn, refundedOf, type WalletOrder } from './order.ts'
import { refusalFormFor } from './refusal-codes.ts'

/** The simulator's only buyer. */
export const payer = {
  name: { given_name: 'Robin', surname: 'Buyer' },
  email_address: 'robin.buyer@example.com',
  payer_id: 'QYR5Z8XDVJNXQ',
}

/** Whether the wallet shows an operation: a refused one left nothing. */
const isShown = ({ result: { kind, code, status } }: BookedOperation): boolean =>
  code === null || code === 'canceled' || status === 'approved' || 'denial' in refusalFormFor(kind, code)

/** The wallet's representation of an order, with its payments. */
export function showOrder(sandbox: Sandbox, order: WalletOrder) {
  const shown = operationsOn(sandbox, order).filter(isShown)
  const resultsOf = (...kinds: Result['kind'][]) =>
    shown.filter(({ result }) => kinds.includes(result.kind)).map(({ result }) => result)
  const payments = {
    authorizations: resultsOf('authorize').map((result) => showAuthorization(sandbox, order, result)),
    captures: resultsOf('sale', 'capture').map((result) => showCapture(sandbox, order, result)),
    refunds: resultsOf('refund').map((result) => showRefund(order, result)),
  }
  const isPaid = payments.authorizations.length > 0 || payments.captures.length > 0
  const { shipping, ...unit } = order.unit
  const address = order.approved ? order.address : shipping?.address
  const name = shipping?.name ?? (address && { full_name: `${payer.name.given_name} ${payer.name.surname}` })
  const sent = {
    ...(name && { name }),
    ...(address && { address }),
    ...(shipping?.options && { options: shipping.options }),
  }
  const page = `${sandbox.pagesUrl()}/wallet/${order.payment_service_id}/checkout/${order.id}`
  return {
    id: order.id,
    intent: order.intent,
    status: isPaid ? 'COMPLETED' : order.approved ? 'APPROVED' : openStatusOf(order),
    create_time: order.created_at,
    ...(order.approved && {
      payer,
      payment_source: {
        paypal: {
          email_address: payer.email_address,
          account_id: payer.payer_id,
          ...(order.stores && order.account && { attributes: { vault: storedAccount(order.account) } }),
        },
      },
    }),
    purchase_units: [
      { ...unit, ...(Object.keys(sent).length > 0 && { shipping: sent }), ...(isPaid && { payments }) },
    ],
    links: [
      { href: `/v2/checkout/orders/${order.id}`, rel: 'self', method: 'GET' },
      ...(order.approved
        ? []
        : [{ href: page, rel: order.context.return_url ? 'payer-action' : 'approve', method: 'GET' }]),
    ],
  }
}

/** An order that waits for its buyer, or for a stored account to pay it. */
const openStatusOf = ({ context }: WalletOrder) => (context.return_url ? 'PAYER_ACTION_REQUIRED' : 'CREATED')

const storedAccount = (id: string) => ({ id, status: 'VAULTED', customer: { id: payer.payer_id } })

const common = (order: WalletOrder, result: Result) => ({
  id: result.id,
  amount: moneyOf(result.amount, result.currency) satisfies Money,
  ...(order.unit.custom_id && { custom_id: order.unit.custom_id }),
  ...(order.invoices[result.id] && { invoice_id: order.invoices[result.id] }),
  create_time: result.processed_at,
  update_time: result.processed_at,
})

function processorResponse({ kind, status, code }: Result) {
  if (status === 'approved') return { processor_response: { response_code: '0000' } }
  const form = code === null || code === 'canceled' ? null : refusalFormFor(kind, code)
  return form && 'denial' in form && form.denial !== null
    ? { processor_response: { response_code: form.denial } }
    : {}
}

export function showAuthorization({ books }: Sandbox, order: WalletOrder, result: Result) {
  return {
    ...common(order, result),
    ...processorResponse(result),
    status: authorizationStatus(books.payments.get(order.id), result),
    ...(result.authorization_expires_at && { expiration_time: result.authorization_expires_at }),
    supplementary_data: relatedTo(order),
  }
}

function authorizationStatus(
  payment: ReturnType<Sandbox['books']['payments']['get']>,
  { code, status }: Result,
): string {
  if (code === 'canceled') return 'VOIDED'
  if (status === 'pending' || payment?.pending.void !== undefined) return 'PENDING'
  if (status !== 'approved') return 'DENIED'
  if (payment?.voided) return 'VOIDED'
  if (!payment || payment.captured === 0) return 'CREATED'
  return payment.final || payment.captured >= payment.authorized ? 'CAPTURED' : 'PARTIALLY_CAPTURED'
}

export function showCapture(sandbox: Sandbox, order: WalletOrder, result: Result) {
  const refunded = refundedOf(sandbox, order, result.id, ['approved'])
  const completed =
    refunded === 0 ? 'COMPLETED' : refunded < result.amount ? 'PARTIALLY_REFUNDED' : 'REFUNDED'
  const statuses = {
    approved: completed,
    pending: 'PENDING',
    declined: 'DECLINED',
    failed: 'FAILED',
  } as const
  return {
    ...common(order, result),
    ...processorResponse(result),
    status: statuses[result.status],
    ...(result.status === 'pending' && { status_details: { reason: 'PENDING_REVIEW' } }),
    final_capture: result.kind === 'sale' || (sandbox.books.operations.get(result.key)?.final ?? false),
    supplementary_data: relatedTo(order),
  }
}

export function showRefund(order: WalletOrder, result: Result) {
  const capture = order.refundedCaptures?.[result.id]
  const statuses = {
    approved: 'COMPLETED',
    pending: 'PENDING',
    declined: 'FAILED',
    failed: 'FAILED',
  } as const
  return {
    ...common(order, result),
    status: statuses[result.status],
    ...(result.status === 'pending' && { status_details: { reason: 'ECHECK' } }),
    links: [
      { href: `/v2/payments/refunds/${result.id}`, rel: 'self', method: 'GET' },
      ...(capture ? [{ href: `/v2/payments/captures/${capture}`, rel: 'up', method: 'GET' }] : []),
    ],
  }
}

/** The member that names an event's order. */
export const relatedTo = ({ id }: WalletOrder) => ({ related_ids: { order_id: id } })
