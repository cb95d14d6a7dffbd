import type { Call } from '../contract/call.ts'
import { type Outcome, refusedOutcome, unprocessedOutcome } from '../contract/outcome.ts'
import { type Movement, paymentsOf, readMovement, readOrder } from './answer.schema.ts'
import { refunded } from './find.ts'
import { fromMoney, toMoney } from './money.ts'
import { PARTS_IDENTIFIER, toRefusal, unprocessed } from './outcome.ts'
import { sendOperation } from './payment.ts'
import type { Wire } from './wire.ts'

/**
 * Refunds a capture. PayPal refunds captures, not payments: a payment that was captured several times has its
 * capture chosen from the order, and committed, so that the refund is never sent for two captures.
 */
export async function refund(wire: Wire, call: Call): Promise<Outcome> {
  const { id, amount, currency, identifiers, mark } = call.operation
  const only = identifiers[PARTS_IDENTIFIER] ? undefined : identifiers['payment_service_capture_id']
  const known = mark ?? only
  const chosen = known === undefined ? await chooseCapture(wire, call) : { capture: known }
  if ('outcome' in chosen) return chosen.outcome
  if (known === undefined) await call.commitMark(chosen.capture)
  const path = `/v2/payments/captures/${encodeURIComponent(chosen.capture)}/refund`
  const body = { amount: toMoney(amount, currency), invoice_id: id }
  return sendOperation(wire, call, { method: 'POST', path, body }, (_, answer) => {
    const movement = readMovement(answer.body)
    return movement?.invoice_id === id ? refunded(call, movement) : undefined
  })
}

type Choice = { capture: string } | { outcome: Outcome }

/** The capture to refund, or why there is none; nothing of the refund was sent. */
async function chooseCapture(wire: Wire, call: Call): Promise<Choice> {
  const { paymentReference: order, identifiers, amount, currency } = call.operation
  if (order === null || !identifiers['payment_service_capture_id'])
    return { outcome: refusedOutcome('unexpected_state') }
  const reply = await wire.send(call, {
    method: 'GET',
    path: `/v2/checkout/orders/${encodeURIComponent(order)}`,
  })
  if (reply.refused) return { outcome: unprocessed(reply.refused.code, reply.refused.reason) }
  // the order was only read: whatever happened to that request, no refund was sent
  if (reply.answer.lost) return { outcome: unprocessed('service_network_error', reply.answer.reason) }
  const read = readOrder(reply.answer.body, order)
  if (reply.answer.status !== 200 || !read) return { outcome: unread(toRefusal(reply.answer)) }
  const { captures, refunds } = paymentsOf(read)
  const left = captures.map((capture) => ({
    capture: capture.id,
    amount: amountLeft(capture, refunds, currency),
  }))
  const [smallest] = left.filter((each) => each.amount >= amount).toSorted((a, b) => a.amount - b.amount)
  if (smallest) return smallest
  const largest = toMoney(Math.max(0, ...left.map((each) => each.amount)), currency)
  return {
    outcome: refusedOutcome('invalid_amount', {
      raw_response_code: 'NO_CAPTURE_LARGE_ENOUGH',
      raw_response_description: `PayPal refunds one capture at a time, and none has this amount left: refund at most ${largest.value} ${largest.currency_code}, then the rest`,
    }),
  }
}

const unread = (refusal: Outcome | undefined): Outcome =>
  refusal && 'code' in refusal
    ? unprocessedOutcome(refusal.code, refusal.facts)
    : unprocessed('service_error', 'the order cannot be read')

/** The statuses of captures and refunds that took no effect. */
const ineffective = new Set(['DECLINED', 'FAILED', 'CANCELLED', 'PENDING'])

/**
 * What is left to refund of a capture. A refund names its capture in the link `up`; one that names none could
 * be of any capture.
 */
function amountLeft(capture: Movement, refunds: readonly Movement[], currency: string): number {
  if (ineffective.has(capture.status) || capture.status === 'REFUNDED') return 0
  const given = refunds
    .filter(({ status }) => status === 'PENDING' || !ineffective.has(status))
    .filter((refund) => [undefined, capture.id].includes(captureOf(refund)))
    .reduce((sum, { amount }) => sum + (fromMoney(amount, currency) ?? 0), 0)
  return (fromMoney(capture.amount, currency) ?? 0) - given
}

/** The id at the end of the link to a refund's capture. */
function captureOf({ links = [] }: Movement): string | undefined {
  const link = links.find(({ rel }) => rel === 'up')
  return link && /\/captures\/([^/?]+)$/.exec(link.href)?.[1]
}
