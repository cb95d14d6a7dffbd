import { describe, expect, onTestFinished, test } from 'vitest'
import { verify } from '../../../src/verify/verify.ts'
import { openProviderShop, type ProviderShop } from '../../support/domains/provider-shop.ts'
import { invalidFields, type Payment } from '../../support/shop.ts'
import { FakeStripe } from './fake.ts'
import { fields } from './support.ts'

const ACCOUNT = 'acct_9'

interface Platform {
  stripe: FakeStripe
  shop: ProviderShop
  /** A captured payment of 10.00 on a connected account; null: on the platform's own. */
  captured(account: string | null): Promise<Payment>
  /** Delivers what Stripe tells, as if it had happened on this account. */
  deliverFrom(account: string | null): Promise<void>
}

/** A platform whose webhook is registered, with one payment service of Stripe. */
async function openPlatform(): Promise<Platform> {
  const stripe = new FakeStripe()
  stripe.advance(Date.now() - stripe.now())
  const shop = await openProviderShop(stripe, {
    definition: 'stripe-card',
    host: '.stripe.com',
    fields: { secret_key: fields.secret_key, publishable_key: fields.publishable_key },
    token: 'pm_card_visa',
    advance: (ms) => stripe.advance(ms),
  })
  onTestFinished(async () => {
    await shop.railyard.close()
  })
  const { payment_service_id: service } = shop.payment['payment_method'] as { payment_service_id: string }
  expect(await shop.shop.post(`/payment-services/${service}/register-webhook`)).toMatchObject({ status: 200 })
  return {
    stripe,
    shop,
    async captured(account) {
      const connect = account !== null && {
        connection_options: { 'stripe-card': { stripe_connect: { stripe_account: account } } },
      }
      const payment = await shop.shop.authorized(10_00, { ...shop.payment, ...connect })
      await payment.capture()
      await shop.settle()
      expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 10_00 })
      return payment
    },
    async deliverFrom(account) {
      const told = stripe.takeNotifications().map(({ body }) => body as { type: string; data: StripeData })
      expect(told.length).toBeGreaterThan(0)
      await shop.deliver(told.map(({ type, data }) => stripe.signed(type, data.object, account)))
      await shop.settle()
    },
  }
}

interface StripeData {
  object: Record<string, unknown>
}

const referenceOf = async (payment: Payment): Promise<string> =>
  (await payment.read()).payment_service_transaction_id

const disputesOf = async ({ shop: { shop } }: Platform): Promise<Record<string, unknown>[]> =>
  (await shop.get('/disputes')).body.items

const accountsAsked = ({ stripe }: Platform, path: RegExp) =>
  stripe.received.filter(({ url }) => path.test(url)).map(({ headers }) => headers?.['stripe-account'])

describe('a direct charge on a connected account', () => {
  test('that is charged back is not refunded again, and its dispute is answered on the account', async () => {
    const platform = await openPlatform()
    const { stripe, shop } = platform
    const payment = await platform.captured(ACCOUNT)
    stripe.chargeBack(await referenceOf(payment))
    stripe.chargeBack(await referenceOf(await platform.captured(ACCOUNT)))
    await shop.settle()
    expect(await payment.read()).toMatchObject({ disputed: true, disputed_amount: 10_00 })
    expect(await payment.refund()).toMatchObject(invalidFields('/amount'))
    const [second, first] = await disputesOf(platform)
    const content = Buffer.from('%PDF-1.4').toString('base64')
    const evidence = {
      text: { product_description: 'Shoes' },
      files: [{ subject: 'receipt', name: 'receipt.pdf', type: 'application/pdf', content }],
    }
    expect(await shop.shop.post(`/disputes/${first?.['id']}/evidence`, evidence)).toMatchObject({
      status: 200,
    })
    expect(await shop.shop.post(`/disputes/${second?.['id']}/accept`)).toMatchObject({ status: 200 })
    expect(accountsAsked(platform, /\/v1\/(disputes|files)/)).toEqual([ACCOUNT, ACCOUNT, ACCOUNT])
    expect((await verify(shop.railyard.world.run)).findings).toEqual([])
  })

  test('whose refund fails late has that refund failed, and can be refunded again', async () => {
    const platform = await openPlatform()
    const { stripe, shop } = platform
    const payment = await platform.captured(ACCOUNT)
    const { body: refund } = await payment.refund({ amount: 4_00 })
    await shop.settle()
    stripe.takeBack(refund.id)
    await shop.settle()
    expect(await payment.refunds()).toMatchObject([{ status: 'failed' }])
    expect(await payment.read()).toMatchObject({ refunded_amount: 0 })
    expect(await payment.refund()).toMatchObject({ status: 201 })
    expect(await shop.differences()).toEqual([])
    expect((await verify(shop.railyard.world.run)).findings).toEqual([])
  })
})

describe.each([
  ['of the platform', ACCOUNT, null],
  ['of another connected account', ACCOUNT, 'acct_8'],
  ['of a connected account', null, ACCOUNT],
])('an event %s for a payment of %s', (_whose, account, teller) => {
  test('does not dispute the payment', async () => {
    const platform = await openPlatform()
    const { stripe } = platform
    const payment = await platform.captured(account)
    const dispute = stripe.chargeBack(await referenceOf(payment))
    await platform.deliverFrom(teller)
    expect(await payment.read()).toMatchObject({ disputed: false, disputed_amount: 0 })
    expect(await disputesOf(platform)).toMatchObject([
      { payment_service_dispute_id: dispute, transaction_id: null, discrepancy: 'unknown_transaction' },
    ])
  })

  test('does not change a dispute that the payment has', async () => {
    const platform = await openPlatform()
    const { stripe, shop } = platform
    const payment = await platform.captured(account)
    stripe.chargeBack(await referenceOf(payment))
    const told = await shop.deliver()
    const before = await disputesOf(platform)
    expect(before).toMatchObject([{ transaction_id: payment.id }])
    const won = { ...(told[0]?.body['data'] as StripeData | undefined)?.object, status: 'won' }
    await shop.deliver([stripe.signed('charge.dispute.funds_reinstated', won, teller)])
    expect(await disputesOf(platform)).toEqual(before)
    expect(await payment.read()).toMatchObject({ disputed_amount: 10_00 })
  })

  test('does not make a refund be looked up again', async () => {
    const platform = await openPlatform()
    const { stripe, shop } = platform
    const payment = await platform.captured(account)
    const { body: refund } = await payment.refund({ amount: 4_00 })
    await shop.settle()
    stripe.takeBack(refund.id)
    await platform.deliverFrom(teller)
    expect(await payment.refunds()).toMatchObject([{ status: 'succeeded' }])
  })

  test('does not make an open payment be looked up', async () => {
    const platform = await openPlatform()
    const { stripe, shop } = platform
    const payment = await platform.captured(account)
    // this amount stays pending at the fake
    await payment.refund({ amount: 26 })
    stripe.received.length = 0
    const told = stripe.signed(
      'refund.updated',
      { id: 're_1', object: 'refund', payment_intent: await referenceOf(payment) },
      teller,
    )
    await shop.deliver([told])
    expect(stripe.received).toEqual([])
  })
})
