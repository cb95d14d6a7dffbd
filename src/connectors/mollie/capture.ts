import type { Call } from '../contract/call.ts'
import { type Outcome, refusedOutcome, unknownOutcome } from '../contract/outcome.ts'
import { type Movement, operationOf, readCaptures, readMovement, readRefunds } from './answer.schema.ts'
import { searchMovement } from './books.ts'
import type { MollieOptions } from './environment.ts'
import { fromMoney, toMoney } from './money.ts'
import { metadataOf, missingPayment, paymentPath, refusalIn, send } from './wire.ts'

/** Captures a part of an authorization, or all of it. */
export const capture = (options: MollieOptions, call: Call): Promise<Outcome> =>
  sendMovement(options, call, 'captures')

/** Refunds a part of a payment, or all of it. The provider executes it some two hours later. */
export const refund = (options: MollieOptions, call: Call): Promise<Outcome> =>
  sendMovement(options, call, 'refunds')

async function sendMovement(
  options: MollieOptions,
  call: Call,
  path: 'captures' | 'refunds',
): Promise<Outcome> {
  const { id, amount, currency, paymentReference, sentBefore } = call.operation
  if (paymentReference === null) return missingPayment()
  const list = `${paymentPath(paymentReference)}/${path}`
  if (sentBefore) {
    // after an hour Mollie has forgotten the key, and would move the money again
    const read = path === 'captures' ? readCaptures : readRefunds
    const earlier = await searchMovement(options, call, list, read, id)
    if (earlier === undefined)
      return unknownOutcome('it may have been sent before, and the books cannot be read')
    if (earlier) return movementOutcome(call, earlier)
  }
  const answer = await send(options, call, {
    path: list,
    body: { amount: toMoney(amount, currency), metadata: metadataOf(call) },
    idempotencyKey: id,
  })
  const read = refusalIn(answer)
  if ('refusal' in read) return read.refusal
  const movement = readMovement(read.answer.body)
  return movement && operationOf(movement) === id && movement.paymentId === paymentReference
    ? movementOutcome(call, movement)
    : unknownOutcome('the answer belongs to another request')
}

/** The statuses of captures and refunds. A queued refund waits until the merchant's balance suffices. */
export const movementMeanings = {
  pending: 'pending',
  queued: 'pending',
  processing: 'pending',
  succeeded: 'approved',
  refunded: 'approved',
  failed: 'service_decline',
  canceled: 'canceled',
} as const

const isKnown = (status: string): status is keyof typeof movementMeanings =>
  Object.hasOwn(movementMeanings, status)

/** The outcome of the operation that made this capture or refund. */
export function movementOutcome({ operation }: Call, movement: Movement): Outcome {
  const { id, status } = movement
  const meaning = status && isKnown(status) ? movementMeanings[status] : undefined
  if (!meaning) return unknownOutcome(`its status is ${status ?? 'missing'}`)
  const facts = { raw_response_code: status ?? null }
  const references = { operation: id }
  if (meaning === 'pending') return { status: 'pending', facts, references }
  if (meaning !== 'approved') return refusedOutcome(meaning, facts, references)
  const amount = fromMoney(movement.amount, operation.currency)
  return amount === undefined
    ? unknownOutcome('the amount cannot be read')
    : { status: 'approved', amount, facts, references }
}
