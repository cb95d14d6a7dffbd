import { describe, expect, test } from 'vitest'
import { noteLateNotice } from '../../src/operations/journal/late-notice.ts'
import { readOperation } from '../../src/operations/journal/read-operations.ts'
import { verify } from '../../src/verify/verify.ts'
import { openProviderShop, type ProviderShop } from '../support/domains/provider-shop.ts'
import type { Payment } from '../support/shop.ts'
import { adyenFake } from './adyen/fake.ts'
import { fields as adyenFields, encrypted } from './adyen/harness.ts'
import { openCheckoutShop } from './checkout/shop.ts'
import { mollieFake } from './mollie/fake.ts'
import { fields as mollieFields } from './mollie/harness.ts'
import { FakeStripe } from './stripe/fake.ts'
import { fields as stripeFields } from './stripe/support.ts'

const HOUR_MS = 3_600_000

interface Provider {
  shop: ProviderShop
  takeBack(operation: string): void
}

async function openCheckoutProvider(): Promise<Provider> {
  const { shop, fake } = await openCheckoutShop()
  return { shop, takeBack: fake.takeBack }
}

const providers: Record<string, () => Promise<Provider>> = {
  async adyen() {
    const fake = adyenFake(Date.now())
    const shop = await openProviderShop(fake, {
      definition: 'adyen-card',
      host: '.adyen.com',
      fields: adyenFields,
      token: encrypted,
      advance: fake.advance,
    })
    return { shop, takeBack: fake.takeBack }
  },
  checkout: openCheckoutProvider,
  async mollie() {
    const fake = mollieFake(Date.now())
    const secret = 'a-secret-of-the-webhook'
    const eventTypes = ['capture.failed', 'capture.succeeded', 'refund.failed', 'refund.refunded']
    fake.books.webhooks.set('hook_1', { body: { eventTypes }, secret, createdAt: Date.now() })
    const shop = await openProviderShop(fake, {
      definition: 'mollie-card',
      host: '.mollie.com',
      fields: { ...mollieFields, webhook_secret: secret },
      token: 'tkn_approved',
      advance: fake.advance,
    })
    return { shop, takeBack: fake.takeBack }
  },
  async stripe() {
    const fake = new FakeStripe()
    fake.advance(Date.now() - fake.now())
    const shop = await openProviderShop(fake, {
      definition: 'stripe-card',
      host: '.stripe.com',
      fields: stripeFields,
      token: 'pm_card_visa',
      advance: (ms) => fake.advance(ms),
    })
    return { shop, takeBack: (operation) => fake.takeBack(operation) }
  },
}

/** What the provider does in its own time is done. */
async function settle(shop: ProviderShop) {
  shop.advance(3 * HOUR_MS)
  await shop.deliver()
  await shop.settle()
}

const money = async (payment: Payment) => {
  const { status, captured_amount, refunded_amount, intent_outcome } = await payment.read()
  return { status, captured_amount, refunded_amount, intent_outcome }
}

test('a sale of Checkout.com whose capture is declined later has failed, once', async () => {
  const { shop } = await openCheckoutShop('tok_capture_20051')
  const payment = await shop.shop.authorized(10_00, { ...shop.payment, intent: 'capture' })
  expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
  const told = await shop.deliver()
  await shop.settle()
  await shop.deliver(told)
  await shop.settle()
  expect(await payment.read()).toMatchObject({
    status: 'authorization_failed',
    captured_amount: 0,
    error_code: 'insufficient_funds',
    intent_outcome: 'failed',
  })
  expect(await shop.lateOutcomes('taken_back')).toBe(1)
  expect((await verify(shop.railyard.world.run)).findings).toEqual([])
  expect(await shop.differences()).toEqual([])
  await shop.railyard.close()
})

test('a refund that is taken back stays due no longer when a second notification notes it while the first is recorded', async () => {
  const { shop, takeBack } = await openCheckoutProvider()
  const { world } = shop.railyard
  const payment = await shop.shop.authorized(10_00, shop.payment)
  await payment.capture()
  await settle(shop)
  const { body: refund } = await payment.refund({ amount: 4_00 })
  await settle(shop)
  // the second notification reads the operation before the first one's failure is recorded, and notes it afterwards
  const read = await readOperation(world, shop.shop.account, refund.id)
  takeBack(refund.id)
  await settle(shop)
  if (!read) throw new Error('there is no refund')
  await noteLateNotice(world, read.operation)
  const checkAt = async () => (await readOperation(world, shop.shop.account, refund.id))?.operation.check_at
  expect(await checkAt()).not.toBeNull()
  await shop.railyard.recovery.runOnce()
  expect(await checkAt()).toBeNull()
  expect(await payment.refunds()).toMatchObject([{ status: 'failed' }])
  expect(await shop.lateOutcomes('taken_back')).toBe(1)
  await shop.railyard.close()
})

describe.each(Object.entries(providers))('%s', (name, open) => {
  test('a refund that is taken back has failed, once, and the money can be refunded again', async () => {
    const { shop, takeBack } = await open()
    const payment = await shop.shop.authorized(10_00, shop.payment)
    await settle(shop)
    await payment.capture()
    await settle(shop)
    const { body: refund } = await payment.refund({ amount: 4_00 })
    await settle(shop)
    expect(await payment.refunds()).toMatchObject([{ status: 'succeeded', error_code: null }])
    expect(await payment.read()).toMatchObject({ refunded_amount: 4_00 })
    takeBack(refund.id)
    const told = await shop.deliver()
    // the notification is not believed
    expect(await payment.read()).toMatchObject({ refunded_amount: 4_00 })
    await shop.settle()
    await shop.deliver(told)
    await shop.settle()
    expect(await money(payment)).toEqual({
      status: 'capture_succeeded',
      captured_amount: 10_00,
      refunded_amount: 0,
      intent_outcome: 'succeeded',
    })
    expect(await payment.refunds()).toMatchObject([{ status: 'failed', error_code: expect.any(String) }])
    expect(await shop.lateOutcomes('taken_back')).toBe(1)
    expect(
      await shop.railyard.world.run(`select 1 from operations where kind = 'late-failure'`, []),
    ).toHaveLength(1)
    const names = await shop.railyard.world.run<{ name: string }>(
      'select name from events where target_id = $1 order by sequence',
      [refund.id],
    )
    expect(names.map(({ name }) => name).slice(-2)).toEqual(['refund.succeeded', 'refund.failed'])
    await payment.refund({ amount: 10_00 })
    await settle(shop)
    expect(await payment.read()).toMatchObject({ refunded_amount: 10_00 })
    expect((await verify(shop.railyard.world.run)).findings).toEqual([])
    expect(await shop.differences()).toEqual([])
    await shop.railyard.close()
  })

  test.skipIf(name === 'stripe')(
    'a capture that is taken back has failed, and can be made again',
    async () => {
      const { shop, takeBack } = await open()
      const payment = await shop.shop.authorized(10_00, shop.payment)
      await settle(shop)
      await payment.capture()
      await settle(shop)
      expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
      const [capture] = await payment.captures()
      takeBack(capture.id)
      await settle(shop)
      expect(await money(payment)).toEqual({
        status: 'authorization_succeeded',
        captured_amount: 0,
        refunded_amount: 0,
        intent_outcome: 'succeeded',
      })
      expect(await payment.captures()).toMatchObject([{ status: 'failed', captured_at: null }])
      expect((await payment.timeline()).slice(-3)).toContain(
        'payment-connector-response-transaction-capture-failed',
      )
      expect((await verify(shop.railyard.world.run)).findings).toEqual([])
      expect(await shop.differences()).toEqual([])
      await shop.railyard.close()
    },
  )
})
