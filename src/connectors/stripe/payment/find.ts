import type { Call, OperationKind } from '../../contract/call.ts'
import type { BookFinding, Outcome } from '../../contract/outcome.ts'
import { absent, found, unsure } from '../../contract/outcome.ts'
import { type Intent, problemOf } from '../answer.schema.ts'
import type { MethodTerms } from '../methods.ts'
import type { Wire } from '../wire.ts'
import { captured } from './capture.ts'
import { incremented } from './increment.ts'
import { cancelIntent, fetchIntent, toOutcome } from './intent.ts'
import { awaitingScript } from './method-payment.ts'
import { findRefund } from './refund.ts'
import { released } from './release.ts'

/** Reads the outcome of an operation from its intent, or a refund's from the list of refunds. */
export async function find(wire: Wire, call: Call): Promise<BookFinding> {
  const { kind } = call.operation
  if (kind === 'refund') return findRefund(wire, call)
  return kind === 'authorize' || kind === 'sale' ? findPayment(wire, call) : findFollowUp(wire, call, kind)
}

/**
 * Like `find`; an intent that Stripe's script has not confirmed yet waits for its buyer, who may never have got
 * what the script needs.
 */
export async function findMethodPayment(wire: Wire, call: Call, method: MethodTerms): Promise<BookFinding> {
  const finding = await find(wire, call)
  const id = openedIntent(call)
  const isPayment = call.operation.kind === 'authorize' || call.operation.kind === 'sale'
  if (method.page !== 'script' || !isPayment || finding.status !== 'absent' || id === null) return finding
  const intent = await fetchIntent(wire, call, id)
  return intent === undefined || intent === 'missing' ? unsure : found(awaitingScript(call, intent))
}

/** The intent that the operation opened; null: none was committed, so that none was ever confirmed. */
export const openedIntent = ({ operation }: Call): string | null =>
  operation.committedReference ?? operation.paymentReference

async function findPayment(wire: Wire, call: Call): Promise<BookFinding> {
  const id = openedIntent(call)
  // nothing is confirmed before the id is committed, and the same key opens the same intent
  if (id === null) return absent
  const intent = await fetchIntent(wire, call, id)
  if (intent === undefined || intent === 'missing') return unsure
  return settleFinding(wire, call, intent)
}

/**
 * What an intent says of the payment. A failed attempt is told only when its intent is canceled: the buyer's
 * page could pay it afterwards.
 */
async function settleFinding(wire: Wire, call: Call, intent: Intent): Promise<BookFinding> {
  const isFailedAttempt = intent.status === 'requires_payment_method' && problemOf(intent) !== undefined
  const final = isFailedAttempt ? await cancelIntent(wire, call, intent.id) : intent
  if (!final) return unsure
  const outcome = toOutcome(call, final)
  if (!outcome) return absent
  return outcome.status === 'unknown' ? unsure : found(outcome)
}

type Reader = (call: Call, intent: Intent) => Outcome | undefined

/** Undefined of a reader: the operation has left no trace, and can be sent again. */
const readers: Partial<Record<OperationKind, Reader>> = {
  capture: captured,
  increment: incremented,
  void: released,
  cancel: released,
}

async function findFollowUp(wire: Wire, call: Call, kind: OperationKind): Promise<BookFinding> {
  const { paymentReference: id } = call.operation
  const read = readers[kind]
  if (id === null || !read) return unsure
  const intent = await fetchIntent(wire, call, id)
  if (intent === undefined || intent === 'missing') return unsure
  const outcome = read(call, intent)
  if (!outcome) return absent
  return outcome.status === 'unknown' ? unsure : found(outcome)
}
