import { verify, X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { NotificationForCall, NotificationSubject, ServiceCall } from '../connector.ts'
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
  resource: Type.Object({ supplementary_data: Type.Object({ related_ids: Type.Object({ order_id: Type.String() }) }) }),
})

const headers = Compile(Headers)
const orderEvent = Compile(OrderEvent)
const paymentEvent = Compile(PaymentEvent)

/** The provider has a few certificates at a time; more addresses than that are somebody's who makes them up. */
const MAX_CERTIFICATES = 16

/** Reads notifications, and refuses those that the provider has not signed. Certificates are kept by their address. */
export function notificationReader(wire: Wire, clock: { now(): number }) {
  const certificates = new Map<string, X509Certificate>()

  /** Undefined: not to be had just now. */
  async function certificate(call: ServiceCall, url: string): Promise<X509Certificate | undefined> {
    const known = certificates.get(url)
    if (known) return known
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
    // its signature is over the webhook's id: without it, nothing that arrives can be told from a forgery
    if (!webhook_id) return 'nothing'
    const given = message.headers
    if (!headers.Check(given)) return 'forged'
    const url = given['paypal-cert-url']
    if (!isTrustedCertificateUrl(url, wire.base(call), call.service.fields)) return 'forged'
    const signer = await certificate(call, url)
    if (!signer) return 'nothing'
    if (!isValidAt(signer, clock.now()) || !isSigned(signer, given, webhook_id, message.text)) return 'forged'
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

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number) => validFromDate.getTime() <= now && now <= validToDate.getTime()

function isSigned(signer: X509Certificate, given: Headers, webhookId: string, text: string): boolean {
  const signed = [given['paypal-transmission-id'], given['paypal-transmission-time'], webhookId, crc32(text)].join('|')
  return verify('RSA-SHA256', Buffer.from(signed), signer.publicKey, Buffer.from(given['paypal-transmission-sig'], 'base64'))
}

/** The order that an event is about; payments name theirs. */
function notificationSubject(body: Record<string, unknown>): NotificationSubject {
  const type = typeof body['event_type'] === 'string' ? body['event_type'] : ''
  if (type.startsWith('CHECKOUT.ORDER.') && orderEvent.Check(body)) return { payment: body.resource.id }
  return paymentEvent.Check(body) ? { payment: body.resource.supplementary_data.related_ids.order_id } : 'nothing'
}
