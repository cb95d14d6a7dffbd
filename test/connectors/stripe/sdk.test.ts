import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveFake } from '../support/loopback.ts'
import { FakeStripe, WEBHOOK_SECRET } from './fake.ts'

const fake = new FakeStripe()
let server: Awaited<ReturnType<typeof serveFake>>
let sdk: Stripe

beforeAll(async () => {
  server = await serveFake(fake)
  const { port } = server
  sdk = new Stripe('sk_test_fake', { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 })
})
afterAll(() => server.close())

describe('Stripe’s own SDK and the fake', () => {
  test('authorize, add, capture and refund', async () => {
    const intent = await sdk.paymentIntents.create({
      amount: 1000,
      currency: 'eur',
      capture_method: 'manual',
    })
    const confirmed = await sdk.paymentIntents.confirm(intent.id, {
      payment_method: 'pm_card_visa',
      return_url: 'https://shop.test',
    })
    expect(confirmed).toMatchObject({ status: 'requires_capture', amount_capturable: 1000 })
    await sdk.paymentIntents.incrementAuthorization(intent.id, { amount: 1500 })
    expect(await sdk.paymentIntents.capture(intent.id)).toMatchObject({
      status: 'succeeded',
      amount_received: 1500,
    })
    const refund = await sdk.refunds.create({ payment_intent: intent.id, amount: 500 })
    expect((await sdk.refunds.list({ payment_intent: intent.id })).data).toMatchObject([{ id: refund.id }])
    expect(fake.violations).toEqual([])
  })

  test('an intent that is confirmed in the request that creates it is authorized, or declined', async () => {
    const request = { amount: 1000, currency: 'eur', capture_method: 'manual', confirm: true } as const
    expect(await sdk.paymentIntents.create({ ...request, payment_method: 'pm_card_visa' })).toMatchObject({
      status: 'requires_capture',
      amount_capturable: 1000,
    })
    const declined = { ...request, payment_method: 'pm_card_visa_chargeDeclinedInsufficientFunds' }
    await expect(sdk.paymentIntents.create(declined)).rejects.toMatchObject({
      decline_code: 'insufficient_funds',
      payment_intent: { status: 'requires_payment_method' },
    })
  })

  test('a parameter outside of the contract is an error that names it', async () => {
    const before = fake.violations.length
    await expect(
      sdk.paymentIntents.create({ amount: 1000, currency: 'eur', receipt: 'yes' } as never),
    ).rejects.toThrow(/receipt/)
    fake.violations.splice(before)
  })

  test('a declined card is a card error of the SDK', async () => {
    const { id } = await sdk.paymentIntents.create({ amount: 1000, currency: 'eur' })
    await expect(
      sdk.paymentIntents.confirm(id, { payment_method: 'pm_card_visa_chargeDeclinedInsufficientFunds' }),
    ).rejects.toMatchObject({ type: 'StripeCardError', decline_code: 'insufficient_funds', statusCode: 402 })
    expect(await sdk.paymentIntents.cancel(id)).toMatchObject({ status: 'canceled' })
  })

  test('another body under a key is an idempotency error of the SDK', async () => {
    const key = { idempotencyKey: 'k-1' }
    const { id } = await sdk.paymentIntents.create({ amount: 1000, currency: 'eur' }, key)
    expect((await sdk.paymentIntents.create({ amount: 1000, currency: 'eur' }, key)).id).toBe(id)
    await expect(sdk.paymentIntents.create({ amount: 999, currency: 'eur' }, key)).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    })
  })

  test('its verifier accepts the fake’s notifications, and refuses a changed byte', () => {
    const [message] = fake.takeNotifications()
    if (!message) throw new Error('there is no notification')
    const signature = String(message.headers['stripe-signature'])
    const construct = (text: string) =>
      sdk.webhooks.constructEvent(text, signature, WEBHOOK_SECRET, Number.MAX_SAFE_INTEGER)
    expect(construct(message.text).type).toMatch(/^payment_intent\./)
    expect(() => construct(message.text.replace('"event"', '"evenT"'))).toThrow('signature')
  })
})
