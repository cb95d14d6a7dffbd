import { webcrypto } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { CheckoutAPI, Client, EnvironmentEnum, hmacValidator } from '@adyen/api-library'
import { X509CertificateGenerator } from '@peculiar/x509'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AdyenFake, API_KEY, adyenFake, HMAC_KEY, MERCHANT } from './fake.ts'

let server: Server
let fake: AdyenFake
let payments: CheckoutAPI['PaymentsApi']
let modifications: CheckoutAPI['ModificationsApi']

/** The library speaks TLS only. */
async function certificate() {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const generated = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: 'CN=127.0.0.1',
    signingAlgorithm: algorithm,
  })
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  const pem = `-----BEGIN PRIVATE KEY-----\n${key.toString('base64')}\n-----END PRIVATE KEY-----`
  return { cert: generated.toString('pem'), key: pem }
}

/** The provider's own library, which talks to the fake over a loopback server. */
beforeAll(async () => {
  fake = adyenFake()
  server = createServer(await certificate(), async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part))
    const text = Buffer.concat(parts).toString()
    const { status, body } = fake.receive({
      method: request.method === 'GET' ? 'GET' : 'POST',
      url: `http://adyen.test${request.url}`,
      headers: Object.fromEntries(
        ['x-api-key', 'idempotency-key'].flatMap((name) => {
          const value = request.headers[name]
          return typeof value === 'string' ? [[name, value] as const] : []
        }),
      ),
      ...(text !== '' && { body: JSON.parse(text) }),
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = new Client({ apiKey: API_KEY, environment: EnvironmentEnum.TEST })
  Object.assign(client.httpClient, { agentOptions: { rejectUnauthorized: false } })
  const checkout = new CheckoutAPI(client)
  payments = checkout.PaymentsApi
  modifications = checkout.ModificationsApi
  for (const api of [payments, modifications])
    Object.assign(api, { baseUrl: `https://127.0.0.1:${port}/v71` })
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const payment = () => ({
  merchantAccount: MERCHANT,
  reference: 'sdk-1',
  returnUrl: 'https://shop.example/',
  amount: { value: 1000, currency: 'EUR' },
  additionalData: { manualCapture: 'true' },
  paymentMethod: {
    type: 'scheme' as const,
    encryptedCardNumber: 'test_4111111111111111',
    encryptedExpiryMonth: 'test_03',
    encryptedExpiryYear: 'test_2030',
  },
})

test('the provider’s library pays, captures and refunds at the fake', async () => {
  const paid = await payments.payments(payment() as never, { idempotencyKey: 'sdk-1' })
  expect(paid).toMatchObject({ resultCode: 'Authorised', merchantReference: 'sdk-1' })
  const psp = paid.pspReference ?? ''
  const amount = { value: 1000, currency: 'EUR' }
  const captured = await modifications.captureAuthorisedPayment(psp, {
    merchantAccount: MERCHANT,
    amount,
    reference: 'sdk-2',
  })
  expect(captured).toMatchObject({ status: 'received', reference: 'sdk-2', paymentPspReference: psp })
  const refunded = await modifications.refundCapturedPayment(psp, {
    merchantAccount: MERCHANT,
    amount,
    reference: 'sdk-3',
  })
  expect(refunded).toMatchObject({ status: 'received' })
  expect(fake.effects().map(({ kind }) => kind)).toEqual(['authorize', 'capture', 'refund'])
})

test('the provider’s library accepts the fake’s webhooks, and refuses a changed byte', () => {
  const validator = new hmacValidator()
  const messages = fake.takeNotifications()
  expect(messages).toHaveLength(3)
  for (const { text } of messages) {
    const item = JSON.parse(text).notificationItems[0].NotificationRequestItem
    expect(validator.validateHMAC(item, HMAC_KEY)).toBe(true)
    const changed = { ...item, pspReference: `${item.pspReference.slice(0, -1)}X` }
    expect(validator.validateHMAC(changed, HMAC_KEY)).toBe(false)
  }
})

test('the provider’s library reads a refused request as an error', async () => {
  const { merchantAccount: _account, ...incomplete } = payment()
  await expect(payments.payments(incomplete as never)).rejects.toMatchObject({ statusCode: 422 })
})
