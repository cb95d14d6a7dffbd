import { type Static, Type } from 'typebox'
import type { Call, OrderForCall } from '../contract/call.ts'
import {
  absent,
  type BookFinding,
  found,
  type Outcome,
  refusedOutcome,
  unknownOutcome,
  unsure,
} from '../contract/outcome.ts'
import { Compile } from '../wire/compile.ts'
import { writtenAt } from '../wire/provider-answer.ts'
import type { AdyenOptions } from './environment.ts'
import { close, isBeingClosed, openingInNotices } from './find.ts'
import { withoutNulls } from './instrument.ts'
import type { AdyenMethod } from './methods.ts'
import { fromMoney, toMoney } from './money.ts'
import { readNotices } from './notice.ts'
import { authorized, pendingReferences } from './payment-answer.ts'
import { toLineItems, toShopper } from './shopper.ts'
import { isKeyRemembered, refusalIn, send, sendPayment, unsendable } from './wire.ts'

/** How long a buyer may pay at the provider's page, from the time at which the operation was written. */
export const SESSION_LIFE_MS = 3_600_000

const Session = Type.Object({
  id: Type.String({ minLength: 1 }),
  url: Type.String({ minLength: 1 }),
  reference: Type.String(),
})
const session = Compile(Session)

/** Opens a page of the provider with one payment method, on which the buyer pays. */
export async function openSession(options: AdyenOptions, method: AdyenMethod, call: Call): Promise<Outcome> {
  const { operation, payment } = call
  if (!payment?.order) return unsendable('missing_redirect_url', 'the buyer has no page to come back to')
  const amount = toMoney(operation.amount, operation.currency)
  if (!amount) return unsendable('invalid_amount', 'the provider has no such small unit')
  const body = sessionRequest(method, call, payment.order)
  const read = refusalIn(await sendPayment(options, call, '/sessions', { ...body, amount }))
  if ('refusal' in read)
    return options.clock.now() > expiryOf(call) ? neverOpened(read.refusal) : read.refusal
  const { body: answer } = read.answer
  if (!session.Check(answer) || answer.reference !== operation.id)
    return unknownOutcome('the answer belongs to another request')
  return pendingSession(call, answer)
}

/** The provider refuses to open a session whose time is over: it has not opened it before, either. */
const neverOpened = (refusal: Outcome): Outcome =>
  refusal.status === 'failed' && !refusal.unprocessed
    ? { ...refusal, code: 'service_network_error' }
    : refusal

/** The same request each time it is sent, so that its expiry follows from the operation's id. */
const sessionRequest = (method: AdyenMethod, call: Call, order: OrderForCall): Record<string, unknown> => ({
  mode: 'hosted',
  allowedPaymentMethods: [method.type],
  reference: call.operation.id,
  merchantOrderReference: order.reference,
  returnUrl: order.returnUrls.approved,
  expiresAt: new Date(expiryOf(call)).toISOString(),
  channel: 'Web',
  ...(call.operation.kind === 'sale'
    ? { captureDelayHours: 0 }
    : { additionalData: { manualCapture: 'true' } }),
  ...withoutNulls(toShopper(order, null)),
  ...(order.lines.length > 0 && { lineItems: toLineItems(order) }),
  ...(order.statementDescriptor && { shopperStatement: order.statementDescriptor }),
})

const expiryOf = (call: Call): number => writtenAt(call.operation.id) + SESSION_LIFE_MS

const pendingSession = (call: Call, { id, url }: Static<typeof Session>): Outcome => {
  const references = pendingReferences(call)
  return {
    status: 'pending',
    facts: {},
    references: {
      ...references,
      identifiers: { ...references.identifiers, payment_service_session_id: id },
    },
    approval: { url, sessionData: null },
  }
}

const Result = Type.Object({
  id: Type.String(),
  status: Type.String(),
  reference: Type.Optional(Type.String()),
  payments: Type.Optional(
    Type.Array(
      Type.Object({
        pspReference: Type.String(),
        resultCode: Type.String(),
        amount: Type.Object({ value: Type.Integer(), currency: Type.String() }),
      }),
    ),
  ),
})
const result = Compile(Result)

/** Reads the result with which the buyer has come back. It can be read once only; after that webhooks tell. */
export async function completeSession(
  options: AdyenOptions,
  call: Call,
  returned: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const { sessionId, sessionResult } = returned
  const told = sessionInNotices(options, call, await call.notices())
  if (told) return told
  const open: Outcome = { status: 'pending', facts: {}, references: {} }
  const opened = call.operation.identifiers['payment_service_session_id']
  if (typeof sessionId !== 'string' || typeof sessionResult !== 'string' || isBeingClosed(call)) return open
  if (opened !== undefined && sessionId !== opened) return open
  const answer = await send(options, call, {
    api: 'checkout',
    method: 'GET',
    path: `/sessions/${encodeURIComponent(sessionId)}?sessionResult=${encodeURIComponent(sessionResult)}`,
  })
  const read = refusalIn(answer)
  // the answer changes nothing at the provider, so that a lost one leaves the payment as it was
  if ('refusal' in read || !result.Check(read.answer.body)) return open
  return sessionOutcome(call, sessionId, read.answer.body) ?? open
}

/** Undefined: the buyer may still pay. A session that was canceled may be opened again until it expires. */
function sessionOutcome(
  call: Call,
  sessionId: string,
  { id, status, reference, payments }: Static<typeof Result>,
): Outcome | undefined {
  if (id !== sessionId || reference !== call.operation.id) return undefined
  const references = pendingReferences(call)
  if (status === 'refused') return refusedOutcome('issuer_decline', { raw_response_code: status }, references)
  if (status === 'expired')
    return refusedOutcome('incomplete_buyer_approval', { raw_response_code: status }, references)
  const paid = payments?.find(({ resultCode }) => resultCode === 'Authorised')
  const amount = paid && fromMoney(paid.amount, call.operation.currency)
  if (status !== 'completed' || !paid || amount === undefined) return undefined
  return authorized(call, {
    amount,
    psp: paid.pspReference,
    facts: { raw_response_code: paid.resultCode },
    token: undefined,
  })
}

/**
 * What the notices say of a session. A refused attempt is final once the session is over; an offer that was
 * closed was not paid.
 */
function sessionInNotices(
  { clock }: AdyenOptions,
  call: Call,
  stored: Awaited<ReturnType<Call['notices']>>,
): Outcome | undefined {
  const isOver = clock.now() > expiryOf(call)
  const outcome = openingInNotices(call, stored, isOver)
  if (outcome) return outcome
  const isClosed = readNotices(stored).some(({ event }) => event === 'OFFER_CLOSED')
  return isClosed && isOver
    ? refusedOutcome('incomplete_buyer_approval', {}, pendingReferences(call))
    : undefined
}

/**
 * A session whose answer was lost is opened again under its key. It is the same one; or the provider has not
 * heard of it, and makes none whose time is over. No buyer has the page of a session without an answer.
 */
export async function findSession(options: AdyenOptions, call: Call): Promise<BookFinding> {
  const outcome = sessionInNotices(options, call, await call.notices())
  if (outcome) return found(outcome)
  const isKnown = call.operation.identifiers['payment_service_session_id'] !== undefined
  return !isKnown && isKeyRemembered(options, call) ? absent : unsure
}

/** Makes sure that a session that is over stays unpaid; until then the buyer may pay. */
export async function closeSession(options: AdyenOptions, call: Call): Promise<BookFinding> {
  const isOver = options.clock.now() > expiryOf(call)
  const outcome = sessionInNotices(options, call, await call.notices())
  if (outcome) return found(outcome)
  return isOver ? close(options, call) : unsure
}
