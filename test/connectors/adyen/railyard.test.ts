import { afterAll, beforeAll, expect, test } from 'vitest'
import { toHttpAnswer } from '../../../src/connector-kit/harness.ts'
import { startTestRailyard, type TestRailyard } from '../../support/railyard.ts'
import { addService, openShop, type Shop } from '../../support/shop.ts'
import { type AdyenFake, adyenFake } from './fake.ts'
import { encrypted, fields } from './harness.ts'

let railyard: TestRailyard
let shop: Shop
let fake: AdyenFake
let webhookUrl: string
let service: string

beforeAll(async () => {
  railyard = await startTestRailyard()
  fake = adyenFake(Date.now())
  const { http } = railyard.world
  const send = http.request.bind(http)
  http.request = async (request) => {
    if (!request.url.includes('.adyen.com/')) return send(request)
    return toHttpAnswer(fake.receive(request), request)
  }
  shop = await openShop(railyard)
  service = await addService(railyard, shop, {
    display_name: 'Adyen',
    payment_service_definition_id: 'adyen-card',
    fields: Object.entries(fields).map(([key, value]) => ({ key, value })),
  })
  const { body } = await shop.get(`/payment-services/${service}`)
  webhookUrl = body.webhook_url
  await railyard.admin.put(
    `/payment-services/${shop.paymentServiceId}`,
    { active: false },
    { 'x-svc-merchant-account-id': shop.account },
  )
})
afterAll(() => railyard.close())

async function deliver(url = webhookUrl, messages = fake.takeNotifications()) {
  for (const { body } of messages)
    await railyard.send('POST', new URL(url).pathname, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
}

const paidAt = (payment_service_id: string) =>
  shop.authorized(10_00, {
    country: 'DE',
    payment_method: {
      method: 'provider-token',
      payment_service_id,
      token: encrypted,
      bin: '411111',
      card_suffix: '1111',
    },
  })

test('a payment with encrypted fields is authorized, captured and refunded by webhooks', async () => {
  const payment = await paidAt(service)
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded' })
  await deliver()
  await payment.capture()
  expect(await payment.read()).toMatchObject({ status: 'capture_pending' })
  await deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
  await payment.refund({ amount: 4_00 })
  await deliver()
  expect(await payment.read()).toMatchObject({ refunded_amount: 4_00 })
  expect(fake.effects().map(({ kind }) => kind)).toEqual(['authorize', 'capture', 'refund'])
})

test('notifications change nothing until the webhook is registered, which brings the key that verifies them', async () => {
  const { hmac_key: _, ...withoutKey } = fields
  const unregistered = await addService(railyard, shop, {
    display_name: 'Adyen without a webhook',
    payment_service_definition_id: 'adyen-card',
    fields: Object.entries(withoutKey).map(([key, value]) => ({ key, value })),
  })
  const url = (await shop.get(`/payment-services/${unregistered}`)).body.webhook_url
  const payment = await paidAt(unregistered)
  await payment.capture()
  const messages = fake.takeNotifications()
  await deliver(url, messages)
  expect(await payment.read()).toMatchObject({ status: 'capture_pending' })
  expect(await shop.post(`/payment-services/${unregistered}/register-webhook`)).toMatchObject({ status: 200 })
  await deliver(url, messages)
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded' })
})
