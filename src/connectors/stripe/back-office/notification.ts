import { Type } from 'typebox'
import type { ServiceCall } from '../../contract/call.ts'
import type { NotificationForCall, NotificationSubject } from '../../contract/connector.ts'
import { Compile } from '../../wire/compile.ts'
import { isHmacSignature } from '../../wire/hmac-signature.ts'
import { madeBy } from '../metadata.ts'
import { ACCOUNT_IDENTIFIER } from '../wire.ts'
import { disputeNotice } from './dispute-notice.ts'

/** The events that Railyard registers for, and reads. */
export const events = [
  'charge.captured',
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.updated',
  'charge.expired',
  'charge.refunded',
  'charge.refund.updated',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.partially_funded',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'refund.created',
  'refund.failed',
  'refund.updated',
  'setup_intent.canceled',
  'setup_intent.requires_action',
  'setup_intent.setup_failed',
  'setup_intent.succeeded',
] as const

const Event = Compile(
  Type.Object({
    id: Type.String(),
    type: Type.String(),
    created: Type.Integer(),
    account: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    data: Type.Object({ object: Type.Object({ id: Type.String(), object: Type.String() }) }),
  }),
)

const WithIntent = Compile(Type.Object({ payment_intent: Type.String({ minLength: 1 }) }))

const FailedRefund = Compile(
  Type.Object({
    object: Type.Literal('refund'),
    status: Type.Union([Type.Literal('failed'), Type.Literal('canceled')]),
    metadata: Type.Record(Type.String(), Type.String()),
  }),
)

/**
 * What a notification is about: a payment that was made on the connected account that it names, or on none. Both
 * endpoints have this URL, so that either secret may verify it. Stripe signs the time and the text; a signature that
 * is older than five minutes is refused, so that a recorded notification cannot be sent again.
 */
export function readNotification(
  clock: { now(): number },
  { service }: ServiceCall,
  { headers, text, body }: NotificationForCall,
): NotificationSubject | readonly NotificationSubject[] {
  const secrets = (service.fields['webhook_secret'] ?? '').split(/[\s,]+/).filter((secret) => secret !== '')
  const header = headers['stripe-signature']
  if (typeof header !== 'string' || !isSigned(clock, secrets, header, text)) return { about: 'forged' }
  return Event.Check(body) ? subjectOf(body) : { about: 'nothing' }
}

const TOLERANCE_S = 300

/** `t=…,v1=…`: while the secret rotates there are several signatures, and several secrets. */
function isSigned(clock: { now(): number }, secrets: readonly string[], header: string, text: string) {
  const parts = header.split(',').map((part) => part.trim().split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const signatures = parts.flatMap(([name, value]) => (name === 'v1' && value ? [value] : []))
  if (!/^\d{1,12}$/.test(time) || Math.abs(clock.now() / 1000 - Number(time)) > TOLERANCE_S) return false
  return secrets.some((secret) =>
    signatures.some((signature) => isHmacSignature(secret, `${time}.${text}`, signature)),
  )
}

interface StripeEvent {
  id: string
  type: string
  created: number
  /** The connected account that it happened on; absent or null: the account of the secret key. */
  account?: string | null
  data: { object: { id: string; object: string } }
}

function subjectOf(event: StripeEvent): NotificationSubject | readonly NotificationSubject[] {
  const { object } = event.data
  const identifiers = { [ACCOUNT_IDENTIFIER]: event.account ?? null }
  if (object.object === 'dispute') {
    const dispute = disputeNotice(event, identifiers)
    return dispute ? { about: 'dispute', dispute } : { about: 'nothing' }
  }
  if (object.object === 'payment_intent' || object.object === 'setup_intent')
    return { about: 'payment', payment: object.id, identifiers }
  // a charge and a refund name their payment
  if (!WithIntent.Check(object)) return { about: 'nothing' }
  const payment = { about: 'payment', payment: object.payment_intent, identifiers } as const
  const refund = FailedRefund.Check(object) ? madeBy(object) : undefined
  // it may have succeeded before
  return refund === undefined
    ? payment
    : [payment, { about: 'operation', operation: refund, late: 'failure', identifiers }]
}
