import { Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import type { LateOutcome, NotificationForCall, NotificationSubject } from '../contract/connector.ts'
import { Compile } from '../wire/compile.ts'
import { isHmacSignature } from '../wire/hmac-signature.ts'
import { disputeIn } from './dispute-notice.ts'

const event = Compile(
  Type.Object({
    id: Type.String(),
    type: Type.String(),
    created_on: Type.Optional(Type.String()),
    timestamp: Type.Optional(Type.String()),
    data: Type.Object({
      id: Type.Optional(Type.String()),
      reference: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
  }),
)

/** Events of payments and their actions. */
const aboutPayments = /^(?:payment|card_verif|authentication)\w*$/

/**
 * Events that may come after the operation is decided: the search by reference may have been behind when the
 * payment was taken for absent, and a step that was approved may be declined later. The capture of a sale has
 * the reference of the payment.
 */
const lateMeanings: Readonly<Record<string, LateOutcome>> = {
  payment_approved: 'approval',
  payment_captured: 'approval',
  payment_payout_paid: 'approval',
  payment_capture_declined: 'failure',
  payment_refund_declined: 'failure',
}

/** What a notification is about. Checkout.com signs the text of its body (`Cko-Signature`). */
export function readNotification(
  { service }: ServiceCall,
  { headers, text, body }: NotificationForCall,
): NotificationSubject | readonly NotificationSubject[] {
  const key = service.fields['webhook_key'] ?? ''
  // without a key Railyard cannot tell a notification from a forgery
  if (key === '') return { about: 'nothing' }
  const signature = headers['cko-signature']
  if (typeof signature !== 'string' || !isHmacSignature(key, text, signature.toLowerCase()))
    return { about: 'forged' }
  if (!event.Check(body)) return { about: 'nothing' }
  if (body.type.startsWith('dispute_')) {
    const dispute = disputeIn(body)
    return dispute ? { about: 'dispute', dispute } : { about: 'nothing' }
  }
  if (!aboutPayments.test(body.type)) return { about: 'nothing' }
  const { id: payment, reference } = body.data
  const meaning = lateMeanings[body.type]
  const late = meaning ? { late: meaning } : {}
  return [
    ...(reference ? [{ about: 'operation', operation: reference, ...late } as const] : []),
    ...(payment ? [{ about: 'payment', payment } as const] : []),
  ]
}
