import { verify, type X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Static, Type } from 'typebox'
import type { ServiceCall } from '../../contract/call.ts'
import type { NotificationForCall, NotificationSubject } from '../../contract/connector.ts'
import { Compile } from '../../wire/compile.ts'
import type { Wire } from '../wire.ts'
import { certificateCache, isTrustedCertificateUrl } from './certificate.ts'
import { disputeSubjects } from './dispute-notice.ts'

/** The events that Railyard registers for, and reads. */
export const events = [
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.ORDER.COMPLETED',
  'CUSTOMER.DISPUTE.CREATED',
  'CUSTOMER.DISPUTE.RESOLVED',
  'CUSTOMER.DISPUTE.UPDATED',
  'PAYMENT.AUTHORIZATION.CREATED',
  'PAYMENT.AUTHORIZATION.VOIDED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.PENDING',
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'VAULT.PAYMENT-TOKEN.CREATED',
] as const

const Headers = Type.Object({
  'paypal-transmission-id': Type.String(),
  'paypal-transmission-time': Type.String(),
  'paypal-transmission-sig': Type.String(),
  'paypal-cert-url': Type.String(),
  'paypal-auth-algo': Type.Literal('SHA256withRSA'),
})
type Headers = Static<typeof Headers>

const OrderEvent = Type.Object({ resource: Type.Object({ id: Type.String() }) })
const PaymentEvent = Type.Object({
  resource: Type.Object({
    supplementary_data: Type.Object({ related_ids: Type.Object({ order_id: Type.String() }) }),
  }),
})

/** The token of an account that the payment of an order stored. */
const TokenEvent = Type.Object({
  resource: Type.Object({ metadata: Type.Object({ order_id: Type.String() }) }),
})

const headers = Compile(Headers)
const orderEvent = Compile(OrderEvent)
const paymentEvent = Compile(PaymentEvent)
const tokenEvent = Compile(TokenEvent)

/** Reads notifications, and refuses those that the provider did not sign. */
export function notificationReader(wire: Wire, clock: { now(): number }) {
  const certificate = certificateCache(clock)
  return async (
    call: ServiceCall,
    message: NotificationForCall,
  ): Promise<NotificationSubject | readonly NotificationSubject[]> => {
    const { webhook_id } = call.service.fields
    // the signature covers the webhook's id: without it Railyard cannot tell a notification from a forgery
    if (!webhook_id) return { about: 'nothing' }
    const received = message.headers
    if (!headers.Check(received)) return { about: 'forged' }
    const url = received['paypal-cert-url']
    if (!isTrustedCertificateUrl(url, wire.base(call), call.service.fields)) return { about: 'forged' }
    // refused without a certificate, too: the provider sends it again, for three days
    const signer = await certificate(call, url)
    return signer && isValidAt(signer, clock.now()) && isSigned(signer, received, webhook_id, message.text)
      ? notificationSubjects(wire, call, message.body)
      : { about: 'forged' }
  }
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number) =>
  validFromDate.getTime() <= now && now <= validToDate.getTime()

function isSigned(signer: X509Certificate, received: Headers, webhookId: string, text: string): boolean {
  const signed = [
    received['paypal-transmission-id'],
    received['paypal-transmission-time'],
    webhookId,
    crc32(text),
  ].join('|')
  return verify(
    'RSA-SHA256',
    Buffer.from(signed),
    signer.publicKey,
    Buffer.from(received['paypal-transmission-sig'], 'base64'),
  )
}

/** The order that an event is about, or the dispute. An event about a payment names its order. */
async function notificationSubjects(
  wire: Wire,
  call: ServiceCall,
  body: Record<string, unknown>,
): Promise<NotificationSubject | readonly NotificationSubject[]> {
  const type = typeof body['event_type'] === 'string' ? body['event_type'] : ''
  if (type.startsWith('CUSTOMER.DISPUTE.')) return disputeSubjects(wire, call, body['resource'])
  if (type.startsWith('CHECKOUT.ORDER.') && orderEvent.Check(body))
    return { about: 'payment', payment: body.resource.id }
  if (type === 'VAULT.PAYMENT-TOKEN.CREATED')
    return tokenEvent.Check(body)
      ? { about: 'payment', payment: body.resource.metadata.order_id }
      : { about: 'nothing' }
  return paymentEvent.Check(body)
    ? { about: 'payment', payment: body.resource.supplementary_data.related_ids.order_id }
    : { about: 'nothing' }
}
