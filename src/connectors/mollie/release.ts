import type { Call } from '../contract/call.ts'
import {
  absent,
  type BookFinding,
  found,
  type Outcome,
  refusedOutcome,
  unknownOutcome,
  unsure,
} from '../contract/outcome.ts'
import { type Payment, readPayment } from './answer.schema.ts'
import { fetchPayment } from './books.ts'
import type { MollieOptions } from './environment.ts'
import { fromMoney } from './money.ts'
import { missingPayment, paymentPath, refusalIn, send } from './wire.ts'

/** Releases what is authorized. The provider accepts it first, and the payment is canceled a little later. */
export async function release(options: MollieOptions, call: Call): Promise<Outcome> {
  const { id, paymentReference } = call.operation
  if (paymentReference === null) return missingPayment()
  const answer = await send(options, call, {
    path: `${paymentPath(paymentReference)}/release-authorization`,
    body: {},
    idempotencyKey: id,
  })
  const read = refusalIn(answer)
  if ('refusal' in read) return read.refusal
  // its answer has no body: the status alone tells that the provider has accepted it
  return read.answer.status === 202
    ? { status: 'pending', facts: {}, references: {} }
    : unknownOutcome(`HTTP ${read.answer.status}`)
}

/** Ends a payment that is not decided yet: that the buyer has not paid, or that is authorized meanwhile. */
export async function cancel(options: MollieOptions, call: Call): Promise<Outcome> {
  const { paymentReference } = call.operation
  if (paymentReference === null) return missingPayment()
  const payment = await fetchPayment(options, call, paymentReference)
  if (!payment) return unknownOutcome('the payment cannot be read')
  const done = releasedOutcome(call, payment)
  if (done) return done
  if (payment.status === 'authorized') return release(options, call)
  if (!payment.isCancelable)
    return refusedOutcome('refused_transaction', {
      raw_response_code: payment.status,
      raw_response_description: 'the provider does not cancel it; it expires if the buyer does not pay',
    })
  return endOpenPayment(options, call, payment.id)
}

/** Cancels a payment that the buyer has not paid. */
export async function endOpenPayment(options: MollieOptions, call: Call, id: string): Promise<Outcome> {
  // without a key: that of the operation may have been used for another request
  const answer = await send(options, call, { method: 'DELETE', path: paymentPath(id) })
  const read = refusalIn(answer)
  if ('refusal' in read) return read.refusal
  const payment = readPayment(read.answer.body, id)
  return (payment && releasedOutcome(call, payment)) ?? unknownOutcome('the payment is not canceled')
}

/** What a payment's status says of its void or cancellation; undefined: the money may still be taken. */
function releasedOutcome({ operation }: Call, payment: Payment): Outcome | undefined {
  const facts = { raw_response_code: payment.status }
  switch (payment.status) {
    case 'canceled':
    case 'expired':
    case 'failed': {
      const amount = fromMoney(payment.amount, operation.currency)
      return amount === undefined
        ? unknownOutcome('the amount cannot be read')
        : { status: 'approved', amount, facts, references: {} }
    }
    case 'paid':
      return refusedOutcome('unexpected_state', facts)
    default:
      return undefined
  }
}

/** A payment that still holds money has not been released: the same request may be sent again. */
export async function findRelease(options: MollieOptions, call: Call): Promise<BookFinding> {
  const { paymentReference } = call.operation
  if (paymentReference === null) return unsure
  const payment = await fetchPayment(options, call, paymentReference)
  if (!payment) return unsure
  const outcome = releasedOutcome(call, payment)
  if (outcome?.status === 'unknown') return unsure
  return outcome ? found(outcome) : absent
}
