import type { Call } from '../contract/call.ts'
import { type BookFinding, found, type Outcome, unsure } from '../contract/outcome.ts'
import { whenNothingFound } from './absence.ts'
import { type Payment, readPayment, readPayments } from './answer.schema.ts'
import type { CheckoutOptions } from './environment.ts'
import { meaningOf, paymentOutcome } from './payment-outcome.ts'
import { findStep, refusedCapture } from './step.ts'
import { paymentPath, send } from './wire.ts'

/** Reads Checkout.com's books. */
export function find(options: CheckoutOptions, call: Call): Promise<BookFinding> {
  const { kind } = call.operation
  // a payout is a payment of its own there
  const isPayment = kind === 'authorize' || kind === 'sale' || kind === 'payout'
  return isPayment ? findPayment(options, call) : findStep(options, call)
}

/**
 * The payment by its id, or by our reference as long as its id is not known. The same key is never sent again
 * to find out: after a refusal or an error Checkout.com would run the request a second time.
 */
async function findPayment(options: CheckoutOptions, call: Call): Promise<BookFinding> {
  const { paymentReference } = call.operation
  const id = paymentReference ?? (await searchPayment(options, call))
  if (id === undefined) return unsure
  // Checkout.com has told of the payment, so that its search is behind
  if (id === null) return call.operation.isNotified ? unsure : whenNothingFound(options, call)
  const answer = await send(options, call, { method: 'GET', path: paymentPath(id) })
  const payment = answer && !answer.lost && answer.status === 200 ? readPayment(answer.body) : undefined
  if (!payment) return unsure
  const outcome = paymentOutcome(call, payment)
  if (outcome.status === 'unknown') return unsure
  return isUncapturedSale(call, payment, outcome)
    ? findCapture(options, call, payment, outcome)
    : found(outcome)
}

/** A sale that was approved, and whose capture was not, or not yet. */
const isUncapturedSale = ({ operation }: Call, { status }: Payment, outcome: Outcome): boolean =>
  operation.kind === 'sale' && status === 'Authorized' && outcome.status === 'approved' && outcome.amount > 0

async function findCapture(
  options: CheckoutOptions,
  call: Call,
  { id }: Payment,
  approved: Outcome,
): Promise<BookFinding> {
  const refused = await refusedCapture(options, call, id)
  if (refused === undefined) return unsure
  // Checkout.com refuses the refund of a sale that it captures a moment later
  if (refused === null && call.operation.countsAsRefused) return unsure
  // the refusal is of the payment, whose id stays
  return found(
    refused && 'code' in refused ? { ...refused, references: { operation: id, transaction: id } } : approved,
  )
}

/** The id of the payment with our reference. Null: there is none. Undefined: the books cannot be read. */
async function searchPayment(options: CheckoutOptions, call: Call): Promise<string | null | undefined> {
  const path = `/payments?reference=${encodeURIComponent(call.operation.id)}&limit=10`
  const answer = await send(options, call, { method: 'GET', path })
  if (!answer || answer.lost || answer.status !== 200) return undefined
  const payments = readPayments(answer.body)
  if (!payments) return undefined
  const own = payments.filter(({ reference }) => reference === call.operation.id)
  // a request that reached Checkout.com twice may have made two: one that holds money counts before the others
  return (own.find(holdsMoney) ?? own[0])?.id ?? null
}

const holdsMoney = ({ status }: Payment): boolean => {
  const meaning = meaningOf(status ?? '')
  return meaning === 'approved' || meaning === 'pending'
}
