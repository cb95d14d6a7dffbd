import type { Call, OperationKind } from '../contract/call.ts'
import { absent, type BookFinding, found, unsure } from '../contract/outcome.ts'
import { writtenAt } from '../wire/provider-answer.ts'
import { type Payment, readCaptures, readRefunds } from './answer.schema.ts'
import { fetchPayment, searchMovement, searchPayment } from './books.ts'
import { movementOutcome } from './capture.ts'
import { closeKey } from './close.ts'
import type { MollieOptions } from './environment.ts'
import { paymentOutcome } from './payment-outcome.ts'
import { endOpenPayment, findRelease } from './release.ts'
import { paymentPath } from './wire.ts'

type Finder = (options: MollieOptions, call: Call) => Promise<BookFinding>

const finders: Partial<Record<OperationKind, Finder>> = {
  authorize: findPayment,
  sale: findPayment,
  capture: (options, call) => findMovement(options, call, 'captures'),
  refund: (options, call) => findMovement(options, call, 'refunds'),
  void: findRelease,
  cancel: findRelease,
}

/** Reads the outcome of an operation from the provider's books. */
export const find: Finder = async (options, call) =>
  (await finders[call.operation.kind]?.(options, call)) ?? unsure

/** The payment that the operation made; null: the books do not have it; undefined: they cannot be read. */
async function readOwnPayment(options: MollieOptions, call: Call): Promise<Payment | null | undefined> {
  const { id, paymentReference, committedReference } = call.operation
  const known = paymentReference ?? committedReference
  return known === null
    ? searchPayment(options, call, id, writtenAt(call.operation.id))
    : fetchPayment(options, call, known)
}

/**
 * A page that the buyer has not got takes no money, so that it may be opened again. A card that was sent is
 * charged without its buyer: its absence is decided by `close`.
 */
async function findPayment(options: MollieOptions, call: Call): Promise<BookFinding> {
  const payment = await readOwnPayment(options, call)
  if (payment) return findingOf(call, payment)
  return payment === null && call.payment?.order ? absent : unsure
}

function findingOf(call: Call, payment: Payment): BookFinding {
  const outcome = paymentOutcome(call, payment)
  return outcome.status === 'unknown' ? unsure : found(outcome)
}

/** The list of the payment has every capture, or refund, with the id of its operation. */
async function findMovement(
  options: MollieOptions,
  call: Call,
  path: 'captures' | 'refunds',
): Promise<BookFinding> {
  const { id, paymentReference } = call.operation
  if (paymentReference === null) return unsure
  const read = path === 'captures' ? readCaptures : readRefunds
  const list = `${paymentPath(paymentReference)}/${path}`
  const movement = await searchMovement(options, call, list, read, id)
  if (!movement) return movement === null ? absent : unsure
  const outcome = movementOutcome(call, movement)
  return outcome.status === 'unknown' ? unsure : found(outcome)
}

/**
 * Reads the books for a payment that cannot be sent again, and ends it: an open one is canceled where the
 * provider can, and an absent one gets no key any more (`close.ts`).
 */
export async function close(options: MollieOptions, call: Call): Promise<BookFinding> {
  const payment = await readOwnPayment(options, call)
  if (payment === undefined) return unsure
  if (payment === null) return call.payment?.order ? absent : closeKey(options, call)
  const isWaiting = payment.status === 'open' || payment.status === 'pending'
  if (!isWaiting || !payment.isCancelable) return findingOf(call, payment)
  const ended = await endOpenPayment(options, call, payment.id)
  if (ended.status !== 'approved') return unsure
  return findingOf(call, { ...payment, status: 'canceled' })
}
