import { verify, X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ServiceCall } from '../contract/call.ts'
import type { NotificationForCall, NotificationSubject } from '../contract/connector.ts'
import { isTrustedCertificateUrl } from './environment.ts'
import type { Wire } from './wire.ts'

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

const headers = Compile(Headers)
const orderEvent = Compile(OrderEvent)
const paymentEvent = Compile(PaymentEvent)

/**
 * The provider has a few certificates at a time; more addresses than this come from a sender that invents
 * them.
 */
const MAX_CERTIFICATES = 16

/**
 * Reads notifications and refuses those that the provider did not sign. Certificates are cached by their URL.
 */
export function notificationReader(wire: Wire, clock: { now(): number }) {
  const certificates = new Map<string, X509Certificate>()

  /** Undefined: the certificate cannot be fetched now. */
  async function certificate(call: ServiceCall, url: string): Promise<X509Certificate | undefined> {
    const cached = certificates.get(url)
    if (cached) return cached
    const answer = await call.http({ method: 'GET', url, text: true })
    if (answer.lost || answer.status !== 200) return undefined
    const read = parsed(answer.body['text'])
    if (!read) return undefined
    if (certificates.size >= MAX_CERTIFICATES) certificates.clear()
    certificates.set(url, read)
    return read
  }

  return async (call: ServiceCall, message: NotificationForCall): Promise<NotificationSubject> => {
    const { webhook_id } = call.service.fields
    // the signature covers the webhook's id: without it Railyard cannot tell a notification from a forgery
    if (!webhook_id) return { about: 'nothing' }
    const received = message.headers
    if (!headers.Check(received)) return { about: 'forged' }
    const url = received['paypal-cert-url']
    if (!isTrustedCertificateUrl(url, wire.base(call), call.service.fields)) return { about: 'forged' }
    const signer = await certificate(call, url)
    if (!signer) return { about: 'nothing' }
    if (!isValidAt(signer, clock.now()) || !isSigned(signer, received, webhook_id, message.text))
      return { about: 'forged' }
    return notificationSubject(message.body)
  }
}

function parsed(pem: unknown): X509Certificate | undefined {
  try {
    return typeof pem === 'string' ? new X509Certificate(pem) : undefined
  } catch {
    return undefined
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

/** The order that an event is about; an event about a payment names its order. */
function notificationSubject(body: Record<string, unknown>): NotificationSubject {
  const type = typeof body['event_type'] === 'string' ? body['event_type'] : ''
  if (type.startsWith('CHECKOUT.ORDER.') && orderEvent.Check(body))
    return { about: 'payment', payment: body.resource.id }
  return paymentEvent.Check(body)
    ? { about: 'payment', payment: body.resource.supplementary_data.related_ids.order_id }
    : { about: 'nothing' }
}
