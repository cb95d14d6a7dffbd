import { expect, test } from 'vitest'
import { openIdealShopForFile } from './shop.ts'

const { adyen, fake } = await openIdealShopForFile()
const { shop } = adyen
const HOUR_MS = 3_600_000

const ideal = {
  country: 'NL',
  payment_method: {
    method: 'ideal',
    country: 'NL',
    currency: 'EUR',
    redirect_url: 'https://shop.example/back',
  },
}

test('a buyer who pays and does not come back is found by the webhook', async () => {
  const payment = await shop.sold(10_00, ideal)
  const { status, payment_method } = await payment.read()
  expect(status).toBe('buyer_approval_pending')
  fake.visit?.(payment_method.approval_url, 'approve')
  await adyen.deliver()
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
})

test('a session that its buyer does not pay fails, though Railyard was down for its hour', async () => {
  const payment = await shop.sold(10_00, ideal)
  adyen.advance(2 * HOUR_MS)
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'buyer_approval_pending' })
  adyen.advance(16 * 60_000)
  await adyen.settle()
  expect(await payment.read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'incomplete_buyer_approval',
  })
  expect(fake.effects().filter(({ kind }) => kind === 'cancel')).toEqual([])
})

test('a session whose answer was lost fails, though Railyard was down for its hour', async () => {
  adyen.loseNext()
  const payment = await shop.sold(10_00, ideal)
  expect(await payment.read()).toMatchObject({ status: 'processing' })
  adyen.arrive()
  adyen.advance(48 * HOUR_MS)
  for (let minutes = 0; minutes < 60; minutes += 20) {
    await adyen.settle()
    adyen.advance(20 * 60_000)
  }
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed' })
  expect(await adyen.differences()).toEqual([])
})

test('a payment that comes after its session has failed is given back', async () => {
  const payment = await shop.sold(10_00, ideal)
  const { payment_method } = await payment.read()
  fake.visit?.(payment_method.approval_url, 'approve')
  const late = fake.takeNotifications()
  adyen.advance(2 * HOUR_MS)
  await adyen.settle()
  adyen.advance(16 * 60_000)
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ status: 'authorization_failed' })
  await adyen.deliver(late)
  await adyen.settle()
  expect(
    fake
      .effects()
      .slice(-2)
      .map(({ kind }) => kind),
  ).toEqual(['sale', 'refund'])
})
