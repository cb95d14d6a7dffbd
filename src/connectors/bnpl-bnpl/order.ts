import type { Call } from '../contract/call.ts'
import type { BookFinding, Outcome } from '../contract/outcome.ts'
import { absent, failedOutcome, found, refusedOutcome, unknownOutcome, unsure } from '../contract/outcome.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { orderBody } from './basket.ts'
import { messageOf, refusal, refusedWith } from './declines.ts'
import { type Answered, isObject, lostOutcome, money, segment, type Wire } from './wire.ts'

type Order = Record<string, unknown>

/**
 * Places the order with the token of the buyer's approval: this is the authorization or sale. The answer has
 * neither an amount nor our id, so the outcome is read from the order.
 */
export async function placeOrder(wire: Wire, call: Call): Promise<Outcome> {
  const { operation, payment, service } = call
  const token = payment?.instrument.approvalToken
  const order = payment?.order
  if (!token || !order) return failedOutcome('unexpected_state')
  const answer = await wire.send(call, {
    method: 'POST',
    path: `/payments/v1/authorizations/${segment(token)}/order`,
    key: operation.id,
    body: orderBody(order, operation, service),
  })
  if (answer.lost) return lostOutcome(answer)
  if (answer.status !== 200) return orderRefusal(call, answer)
  const id = nonEmptyText(answer.body['order_id'])
  if (!id) return unknownOutcome('the answer names no order')
  // the order stands: from now on recovery reads it, and does not place it again
  await call.commitReference(id)
  const placed = await readOrder(wire, call, id)
  return placed ? outcomeOf(call, placed) : unknownOutcome('the order could not be read')
}

/**
 * The outcome of a refused order. A token is good for one order: the refusal of a repeated request may be the
 * consequence of the first one, which this answer does not name, so that it is no final outcome. An answer
 * before which Klarna read nothing stays unprocessed.
 */
function orderRefusal({ operation }: Call, answer: Answered): Outcome {
  const outcome = finalRefusal(answer)
  const isFinal = 'code' in outcome && !('unprocessed' in outcome)
  return isFinal && operation.sentBefore
    ? unknownOutcome(messageOf(answer) ?? `HTTP ${answer.status}`)
    : outcome
}

/**
 * The refusals that only the placing of an order has, recognised by their message: a token is good for one
 * order and one hour.
 */
function finalRefusal(answer: Answered): Outcome {
  const message = messageOf(answer) ?? ''
  const isTokenRefused = (answer.status === 403 || answer.status === 404) && /token/i.test(message)
  if (isTokenRefused && /consumed/i.test(message)) return refusedWith('duplicate_transaction', answer)
  if (isTokenRefused && /expired/i.test(message)) return refusedWith('expired_authorization', answer)
  // the provider places no order whose basket differs from the approved one
  if (answer.status === 409 && answer.body['error_code'] === 'BAD_VALUE')
    return refusedWith('service_resource_conflict', answer)
  const outcome = refusal(answer)
  return answer.status === 404 && !answer.body['reason']
    ? refusedWith('invalid_payment_method', answer)
    : outcome
}

/** The order in the provider's books; undefined if it cannot be read or is another one. */
export async function readOrder(wire: Wire, call: Call, id: string): Promise<Order | undefined> {
  const answer = await wire.send(call, { method: 'GET', path: `/ordermanagement/v1/orders/${segment(id)}` })
  return !answer.lost && answer.status === 200 && answer.body['order_id'] === id ? answer.body : undefined
}

/**
 * The outcome of placing an order: whether its risk was accepted and, for a sale, whether it was captured.
 */
function outcomeOf({ operation }: Call, order: Order): Outcome {
  const isOurs =
    order['merchant_reference2'] === operation.id && order['purchase_currency'] === operation.currency
  if (!isOurs) return unknownOutcome('the order belongs to another request')
  const { status, fraud_status: risk } = order
  const capture = entries(order, 'captures').at(0)
  const captureId = nonEmptyText(capture?.['capture_id'])
  const id = nonEmptyText(order['order_id']) ?? ''
  const references = {
    operation: (operation.kind === 'sale' && captureId) || id,
    transaction: id,
    identifiers: {
      payment_service_order_id: id,
      ...(captureId && { payment_service_capture_id: captureId }),
    },
  }
  const facts = { raw_response_code: nonEmptyText(risk), raw_response_description: nonEmptyText(status) }
  if (status === 'CANCELLED') return { status: 'failed', code: 'canceled', facts, references }
  if (risk === 'REJECTED') return { status: 'declined', code: 'suspected_fraud', facts, references }
  const amount = money(order[operation.kind === 'sale' ? 'captured_amount' : 'order_amount'])
  const isPending = risk !== 'ACCEPTED' || (operation.kind === 'sale' && !isCaptured(order))
  // nothing was captured in time, and nothing can be any more
  if (isPending && status === 'EXPIRED' && order['captured_amount'] === 0)
    return refusedOutcome('expired_authorization', facts, references)
  if (isPending || amount === null) return { status: 'pending', facts, references }
  return { status: 'approved', amount, facts: {}, references }
}

const isCaptured = ({ status }: Order) => status === 'CAPTURED' || status === 'CLOSED'

/** The order's captures or refunds. */
export function entries(order: Order, list: 'captures' | 'refunds'): Record<string, unknown>[] {
  const listed = order[list]
  return Array.isArray(listed) ? listed.filter(isObject) : []
}

/**
 * Reads whether the order was placed. Without its id it cannot be read, and sending again under the same key
 * and token returns the same order.
 */
export async function findOrder(wire: Wire, call: Call): Promise<BookFinding> {
  const { committedReference, identifiers } = call.operation
  const id = committedReference ?? identifiers['payment_service_order_id']
  if (!id) return absent
  const order = await readOrder(wire, call, id)
  if (!order) return unsure
  // the answer that named it was to another request, so that the id of ours is not known
  return order['merchant_reference2'] === call.operation.id ? found(outcomeOf(call, order)) : absent
}
