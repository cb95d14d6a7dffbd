import { expect, test } from 'vitest'
import { addService } from '../../support/shop.ts'
import { encrypted, fields } from './harness.ts'
import { openAdyenShopForFile } from './shop.ts'

const { adyen, fake } = await openAdyenShopForFile()
const { railyard, shop } = adyen

test('a payment with encrypted fields is authorized, captured and refunded by webhooks', async () => {
  const payment = await shop.authorized(10_00, adyen.payment)
  expect(await payment.read()).toMatchObject({ status: 'authorization_succeeded' })
  await adyen.deliver()
  await payment.capture()
  expect(await payment.read()).toMatchObject({ status: 'capture_pending' })
  await adyen.deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
  await payment.refund({ amount: 4_00 })
  await adyen.deliver()
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
  const { pathname } = new URL((await shop.get(`/payment-services/${unregistered}`)).body.webhook_url)
  const payment = await shop.authorized(10_00, {
    country: 'DE',
    payment_method: {
      method: 'provider-token',
      payment_service_id: unregistered,
      token: encrypted,
      bin: '411111',
      card_suffix: '1111',
    },
  })
  await payment.capture()
  const messages = fake.takeNotifications()
  const deliver = async () => {
    for (const { text: body } of messages)
      await railyard.send('POST', pathname, { body, headers: { 'content-type': 'application/json' } })
  }
  await deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_pending' })
  expect(await shop.post(`/payment-services/${unregistered}/register-webhook`)).toMatchObject({ status: 200 })
  await deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded' })
})
