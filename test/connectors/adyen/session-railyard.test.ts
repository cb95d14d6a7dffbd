import { afterAll, expect, test } from 'vitest'
import { verify } from '../../../src/verify/verify.ts'
import { newGiftCard } from '../../support/domains/gift-cards.ts'
import { openIdealShopForFile } from './shop.ts'

const { adyen, fake } = await openIdealShopForFile()
const { shop } = adyen
afterAll(async () => {
  expect((await verify(adyen.railyard.world.run)).findings).toEqual([])
})
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

test('a sale beside gift cards that is taken back leaves what the cards paid, which can be refunded', async () => {
  const service = {
    gift_card_service_definition_id: 'mock-gift-card',
    display_name: 'Gift cards',
    fields: [{ key: 'api_key', value: 'test' }],
  }
  expect(await shop.post('/gift-card-services', service)).toMatchObject({ status: 201 })
  const payment = await shop.sold(10_00, { ...ideal, gift_cards: [{ ...newGiftCard(), amount: 4_00 }] })
  fake.visit?.((await payment.read()).payment_method.approval_url, 'approve')
  await adyen.deliver()
  await adyen.settle()
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    intent_outcome: 'succeeded',
    captured_amount: 6_00,
  })
  fake.takeBack(fake.effects().at(-1)?.key ?? '')
  await adyen.deliver()
  await adyen.settle()
  expect(await payment.read()).toMatchObject({
    status: 'capture_succeeded',
    intent_outcome: 'failed',
    authorized_amount: 0,
    captured_amount: 0,
    error_code: 'service_error',
    gift_card_redemptions: [{ status: 'succeeded', refunded_amount: 0 }],
  })
  expect(await payment.captures()).toMatchObject([{ status: 'failed', error_code: 'service_error' }])
  const names = await adyen.railyard.world.run<{ name: string }>(
    'select name from events where target_id = $1 order by sequence',
    [payment.id],
  )
  expect(names.at(-1)?.name).toBe('transaction.capture-failed')
  expect(await payment.refund()).toMatchObject({ status: 400 })
  await payment.refundAll()
  await adyen.settle()
  expect(await payment.read()).toMatchObject({ gift_card_redemptions: [{ refunded_amount: 4_00 }] })
})
