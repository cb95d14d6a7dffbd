import { createHash } from 'node:crypto'
import type { Call } from '../contract/call.ts'
import type { Outcome } from '../contract/outcome.ts'
import { unknownOutcome } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import type { AdyenOptions } from './environment.ts'
import { isBeingClosed, openingInNotices } from './find.ts'
import { withoutNulls } from './instrument.ts'
import { meaningOf, type Payment, paymentOutcome, pendingReferences, readPayment } from './payment-answer.ts'
import { paymentRequest } from './payment-request.ts'
import { refusalIn, send, sendPayment, unsendable } from './wire.ts'

/** Authorizes or sells a card. */
export async function pay(options: AdyenOptions, call: Call): Promise<Outcome> {
  if (!call.payment) return unsendable('unexpected_state', 'there is no instrument')
  const request = await paymentRequest(call, call.payment)
  if ('refused' in request) return unsendable(request.refused, request.reason)
  return paymentIn(call, await sendPayment(options, call, '/payments', request.body))
}

function paymentIn(call: Call, answer: HttpAnswer | null): Outcome {
  const read = refusalIn(answer)
  if ('refusal' in read) return read.refusal
  const payment = readPayment(call, read.answer.body)
  return payment ? paymentOutcome(call, payment) : unknownOutcome('the answer belongs to another request')
}

/** The results of a challenge that the provider takes, from its page or from its script. */
const resultMembers = ['redirectResult', 'threeDSResult', 'payload', 'MD', 'PaRes'] as const

/**
 * Continues a payment whose cardholder was challenged. A result that the provider refuses decides nothing: a
 * buyer may send any, and the payment is still open there.
 */
export async function completeChallenge(
  options: AdyenOptions,
  call: Call,
  returned: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const { paymentData } = returned
  const given = typeof returned['details'] === 'object' ? returned['details'] : returned
  const details = withoutNulls(Object.fromEntries(resultMembers.map((name) => [name, textIn(given, name)])))
  const pending: Outcome = { status: 'pending', facts: {}, references: pendingReferences(call) }
  if (Object.keys(details).length === 0 || isBeingClosed(call))
    return openingInNotices(call, await call.notices()) ?? pending
  const body = { details, ...(typeof paymentData === 'string' && { paymentData }) }
  // a challenge may have two steps with a result each; the same result is sent once
  const step = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 16)
  const read = refusalIn(await sendDetails(options, call, body, `${call.operation.id}-${step}`))
  if ('answer' in read) {
    const payment = readPayment(call, read.answer.body)
    if (!payment) return unknownOutcome('the answer belongs to another request')
    return isDecidable(payment) ? paymentOutcome(call, payment) : pending
  }
  return read.refusal.status === 'unknown' ? read.refusal : pending
}

/**
 * The buyer chooses which result comes back, and may send that of another payment: a result that names no
 * payment decides nothing, and its webhook tells. The next step of a challenge names none.
 */
const isDecidable = ({ merchantReference, resultCode }: Payment): boolean =>
  Boolean(merchantReference) || meaningOf(resultCode) === 'challenge'

const textIn = (value: unknown, name: string): string | null => {
  const member =
    typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name) : undefined
  return typeof member?.value === 'string' && member.value !== '' ? member.value : null
}

/** The details of a challenge name no merchant account. */
const sendDetails = (
  options: AdyenOptions,
  call: Call,
  body: Readonly<Record<string, unknown>>,
  idempotencyKey: string,
): Promise<HttpAnswer | null> =>
  send(options, call, { api: 'checkout', path: '/payments/details', body, idempotencyKey })
