import { sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { ServiceCall } from '../../../src/connectors/contract/call.ts'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import { wallet } from '../../../src/connectors/wallet-wallet/connector.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import {
  type SigningCertificate,
  signingCertificate,
} from '../../../src/sandbox/providers/wallet/certificate.ts'

/** The certificate of PayPal's notifications in production, as its published example names it. */
export const CERTIFICATE_URL = 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77'

const WEBHOOK_ID = '1JE4291016473214C'

export const answered = (status: number, body: Record<string, unknown> = {}): HttpAnswer => ({
  lost: false,
  status,
  headers: {},
  body,
})

type Respond = (request: HttpRequest) => HttpAnswer

/** PayPal's connector as in production, with a provider that answers as the test says. */
export async function openBench(respond: Respond = () => answered(404)) {
  let now = Date.parse('2026-03-02T10:00:00Z')
  const clock = { now: () => now }
  const signer = await signingCertificate(clock)()
  const connector = wallet({ sandboxUrl: undefined, clock })
  const requests: HttpRequest[] = []
  const call = (fields: Record<string, string> = {}): ServiceCall => ({
    http: async (request) => {
      requests.push(request)
      if (request.url.endsWith('/v1/oauth2/token'))
        return answered(200, { access_token: 'token-1', token_type: 'Bearer', expires_in: 32_400 })
      return request.url === CERTIFICATE_URL ? answered(200, { text: signer.certificate }) : respond(request)
    },
    service: {
      id: '01a20008-7d03-7085-af8e-000000000001',
      fields: {
        client_id: 'client-1',
        client_secret: 'secret-1',
        environment: 'production',
        webhook_id: WEBHOOK_ID,
        ...fields,
      },
      notificationUrl: 'https://railyard.example/notifications/shop/1/token',
    },
  })
  const read = async (message: NotificationForCall, fields?: Record<string, string>) => {
    const subjects = await connector.readNotification?.(call(fields), message)
    return subjects === undefined ? [] : [subjects].flat()
  }
  return {
    connector,
    call,
    read,
    requests,
    signer,
    notify: (event: object) => signedNotification(signer, event),
    passTime: (ms: number) => {
      now += ms
    },
  }
}

/** A notification as PayPal signs it. */
export function signedNotification(
  { privateKey }: SigningCertificate,
  event: object,
  certificateUrl = CERTIFICATE_URL,
): NotificationForCall {
  const body = { id: 'WH-1', event_version: '1.0', create_time: '2026-03-02T10:00:00Z', ...event }
  const text = JSON.stringify(body)
  const [id, time] = ['b2384410-f8d2-11e4-8bf3-77339302725b', '2026-03-02T10:00:01Z']
  const signed = [id, time, WEBHOOK_ID, crc32(text)].join('|')
  return {
    headers: {
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64'),
      'paypal-cert-url': certificateUrl,
      'paypal-auth-algo': 'SHA256withRSA',
    },
    text,
    body,
  }
}

/** The event that a buyer has approved an order. */
export const orderApproved = {
  event_type: 'CHECKOUT.ORDER.APPROVED',
  resource_type: 'checkout-order',
  resource: { id: '5O190127TN364715T' },
}
