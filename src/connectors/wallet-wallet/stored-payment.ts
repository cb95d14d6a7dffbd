import type { Call } from '../contract/call.ts'
import type { BookFinding, Outcome } from '../contract/outcome.ts'
import { absent, refusedOutcome, unknownOutcome, unsure } from '../contract/outcome.ts'
import { readOrder, unitOf } from './answer.schema.ts'
import { findMoney } from './find.ts'
import { purchaseUnit, readOptions } from './order.ts'
import { toRefusal, unprocessed } from './outcome.ts'
import { authorize, sale } from './payment.ts'
import type { Wire } from './wire.ts'

/** Whether a stored PayPal account pays: no buyer approves an order. */
export const isStoredPayment = ({ payment }: Call): boolean => payment?.instrument.serviceToken !== undefined

const intents = { authorize: 'AUTHORIZE', sale: 'CAPTURE' } as const

/**
 * Pays by a stored PayPal account. The order is opened first, which moves no money, and its id is committed: so
 * recovery, which does not have the account's token, can read the order, and close it.
 */
export async function payByStoredAccount(wire: Wire, call: Call): Promise<Outcome> {
  const opened = await openOrderWithoutBuyer(wire, call)
  if (typeof opened === 'object') return opened
  await call.commitReference(opened)
  const paid: Call = { ...call, operation: { ...call.operation, paymentReference: opened } }
  return (call.operation.kind === 'sale' ? sale : authorize)(wire, paid)
}

/** The id of the new order, or why there is none. */
async function openOrderWithoutBuyer(wire: Wire, call: Call): Promise<string | Outcome> {
  const { operation, payment } = call
  const { id, kind, amount, currency } = operation
  if (!payment || (kind !== 'authorize' && kind !== 'sale')) return refusedOutcome('invalid_operation')
  const order = await payment.purchase()
  const unit = purchaseUnit({ id, order, amount, currency, options: readOptions(payment.options) })
  const reply = await wire.send(call, {
    method: 'POST',
    path: '/v2/checkout/orders',
    key: `${id}-order`,
    body: { intent: intents[kind], purchase_units: [unit] },
  })
  if (reply.refused) return unprocessed(reply.refused.code, reply.refused.reason)
  const refusal = toRefusal(reply.answer)
  // nothing was asked to pay: an order that is opened without our knowledge moves no money
  if (refusal?.status === 'unknown') return unprocessed('service_network_error', refusal.reason)
  if (refusal) return refusal
  const opened = reply.answer.lost ? undefined : readOrder(reply.answer.body)
  return opened && unitOf(opened)?.custom_id === id
    ? opened.id
    : unknownOutcome('the answer is not about this order')
}

/**
 * Reads what became of a payment by a stored account, and makes sure that an absent one stays absent: the order
 * gets the other intent, and PayPal refuses a request of the old one that arrives later. An order whose id was
 * not committed was never asked to pay.
 */
export async function closeStoredPayment(wire: Wire, call: Call): Promise<BookFinding> {
  const { paymentReference, committedReference, kind } = call.operation
  const id = paymentReference ?? committedReference
  if (id === null) return absent
  const reply = await wire.send(call, {
    method: 'PATCH',
    path: `/v2/checkout/orders/${encodeURIComponent(id)}`,
    body: [{ op: 'replace', path: '/intent', value: intents[kind === 'sale' ? 'authorize' : 'sale'] }],
  })
  if (reply.refused || reply.answer.lost) return unsure
  // 404: PayPal has deleted the order, which nobody can pay any more
  const isClosed = reply.answer.status === 204 || reply.answer.status === 404
  const finding = await findMoney(wire, call)
  return finding.status === 'absent' && !isClosed ? unsure : finding
}
