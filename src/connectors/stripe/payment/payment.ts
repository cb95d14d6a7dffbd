import type { Call, PaymentContext } from '../../contract/call.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { refusedOutcome, unknownOutcome } from '../../contract/outcome.ts'
import type { HttpAnswer } from '../../wire/http-message.ts'
import { toStripeAmount } from '../amount.ts'
import { type Intent, problemOf, readError, readIntent } from '../answer.schema.ts'
import { isMadeBy } from '../metadata.ts'
import type { Body, Wire } from '../wire.ts'
import { prepareInstrument } from './instrument.ts'
import {
  approvalOf,
  cancelIntent,
  fetchIntent,
  intentPath,
  isSetup,
  referencesOf,
  toOutcome,
} from './intent.ts'
import { notSent, toRefusal } from './outcome.ts'
import {
  cardConfirmation,
  cardIntent,
  cardSetup,
  setupConfirmation,
  takesAuthentication,
} from './payment-body.ts'

/**
 * Authorizes a card or takes the money: opens an intent, which moves nothing, commits its id, and confirms it
 * under a key of its own. A payment of zero is a SetupIntent.
 */
export async function payWithCard(wire: Wire, call: Call): Promise<Outcome> {
  const { operation, payment } = call
  if (!payment) return refusedOutcome('invalid_operation')
  if (payment.authentication && !takesAuthentication(payment.authentication))
    return notSent(
      'unsupported_transaction',
      'Stripe takes a proof of 3-D Secure with its directory_transaction_id, and of versions 1.0.2 to 2.3.1',
    )
  const prepared = await prepareInstrument(wire, call, payment)
  if ('refused' in prepared) return prepared.refused
  const { paying } = prepared
  const opened =
    operation.committedReference === null
      ? await openCardIntent(wire, call, payment, paying.customer)
      : operation.committedReference
  if (typeof opened !== 'string') return opened
  const body = isSetup(opened)
    ? await setupConfirmation(payment, paying)
    : await cardConfirmation(call, payment, paying)
  return confirm(wire, call, opened, body)
}

/** Opens the intent of a card payment and commits its id, which is answered. */
async function openCardIntent(
  wire: Wire,
  call: Call,
  payment: PaymentContext,
  customer: string | undefined,
): Promise<string | Outcome> {
  const { amount, currency } = call.operation
  const units = toStripeAmount(amount, currency)
  if (units === undefined) return notSent('invalid_amount', `Stripe cannot express ${amount} of ${currency}`)
  return units === 0
    ? openIntent(wire, call, '/v1/setup_intents', await cardSetup(call, payment, customer))
    : openIntent(wire, call, '/v1/payment_intents', await cardIntent(call, payment, units, customer))
}

/** Opens an intent under the operation's id, commits its id and answers it. */
export async function openIntent(
  wire: Wire,
  call: Call,
  path: string,
  body: Body,
): Promise<string | Outcome> {
  const answer = await wire.post(call, path, body, call.operation.id)
  const refusal = toRefusal(answer)
  if (refusal) return refusal
  const intent = answer.lost ? undefined : readIntent(answer.body)
  if (!intent || !isMadeBy(intent, call.operation))
    return unknownOutcome('the answer is about another intent')
  await call.commitReference(intent.id)
  return intent.id
}

/** Confirms an intent, which is what moves the money. */
export async function confirm(wire: Wire, call: Call, id: string, body: Body): Promise<Outcome> {
  const answer = await wire.post(call, intentPath(id, 'confirm'), body, `${call.operation.id}-confirm`)
  const refusal = toRefusal(answer)
  if (!refusal) {
    const intent = answer.lost ? undefined : readIntent(answer.body, id)
    if (!intent) return unknownOutcome('the answer is about another intent')
    return readConfirmed(wire, call, intent)
  }
  if (answer.lost || refusal.status === 'unknown') return refusal
  return refusal.status === 'failed' && refusal.unprocessed
    ? refusal
    : readRefused(wire, call, id, answer, refusal)
}

async function readConfirmed(wire: Wire, call: Call, intent: Intent): Promise<Outcome> {
  if (intent.status === 'requires_action' && !approvalOf(call, intent))
    return refuseChallenge(wire, call, intent)
  return toOutcome(call, intent) ?? unknownOutcome(`its status is ${intent.status}`)
}

/** A challenge that no buyer will see: it is final once the intent is canceled. */
async function refuseChallenge(wire: Wire, call: Call, { id }: Intent): Promise<Outcome> {
  const canceled = await cancelIntent(wire, call, id)
  return canceled
    ? refusedOutcome(
        'requires_buyer_authentication',
        { raw_response_code: 'requires_action' },
        referencesOf(call, canceled),
      )
    : unknownOutcome('a challenge is open, and could not be canceled')
}

/**
 * A refused confirmation. Stripe would let another attempt pay the intent, so it is canceled. A refusal for
 * the intent's state is about an earlier confirmation of ours, and the intent says what that did.
 */
async function readRefused(
  wire: Wire,
  call: Call,
  id: string,
  { status, body }: Extract<HttpAnswer, { lost: false }>,
  refusal: Outcome,
): Promise<Outcome> {
  const error = readError(body)
  const about = error?.payment_intent?.id ?? error?.setup_intent?.id
  if (about !== undefined && about !== id) return unknownOutcome('the answer is about another intent')
  const intent = (await cancelIntent(wire, call, id)) ?? (await fetchIntent(wire, call, id))
  // a card error is the end of the attempt, whatever became of the intent
  if (intent === undefined || intent === 'missing') return status === 402 ? refusal : unread
  const isRefused = intent.status === 'canceled' || intent.status.startsWith('requires_payment')
  const outcome = isRefused && !problemOf(intent) ? undefined : toOutcome(call, intent)
  return outcome ?? { ...refusal, ...('references' in refusal && { references: referencesOf(call, intent) }) }
}

const unread: Outcome = unknownOutcome('it was refused, and the intent cannot be read')
