import { CheckoutAPI, Client, EnvironmentEnum, hmacValidator } from '@adyen/api-library'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveFake } from '../support/loopback.ts'
import { type AdyenFake, API_KEY, adyenFake, HMAC_KEY, MERCHANT } from './fake.ts'

let server: Awaited<ReturnType<typeof serveFake>>
let fake: AdyenFake
let payments: CheckoutAPI['PaymentsApi']
let modifications: CheckoutAPI['ModificationsApi']

/** The provider's own library, which talks to the fake over a loopback server. It speaks TLS only. */
beforeAll(async () => {
  fake = adyenFake()
  server = await serveFake(fake, { isTls: true })
  const client = new Client({ apiKey: API_KEY, environment: EnvironmentEnum.TEST })
  Object.assign(client.httpClient, { agentOptions: { rejectUnauthorized: false } })
  const checkout = new CheckoutAPI(client)
  payments = checkout.PaymentsApi
  modifications = checkout.ModificationsApi
  for (const api of [payments, modifications])
    Object.assign(api, { baseUrl: `https://127.0.0.1:${server.port}/v71` })
})
afterAll(() => server.close())

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
