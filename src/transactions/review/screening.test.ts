import { describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const fraud = await addAntiFraudService(railyard, shop)
await addGiftCardService(railyard, shop)

const buyer = (verdict: string | null) =>
  verdict === null ? { display_name: 'B' } : buyerScreenedAs(verdict)
const giftCards = () => ({ gift_cards: [{ ...newGiftCard(), amount: 5_00 }] })

const verdicts = [
  { verdict: 'accept', decision: 'accept', line: 'anti-fraud-decision' },
  { verdict: 'somebody', decision: 'accept', line: 'anti-fraud-decision' },
  { verdict: 'error', decision: 'error', line: 'anti-fraud-decision-error' },
  { verdict: 'timeout', decision: 'exception', line: 'anti-fraud-decision-error' },
  { verdict: 'unavailable', decision: 'skipped', line: 'anti-fraud-decision-error' },
  { verdict: null, decision: 'skipped', line: 'anti-fraud-decision-skipped' },
]

describe.each([
  { name: 'a card', more: () => ({}), part: 20_00 },
  { name: 'a card and a gift card', more: giftCards, part: 15_00 },
])('a payment with $name', ({ more, part }) => {
  test.each(verdicts)(
    'of a buyer with the verdict $verdict continues with the decision $decision',
    async ({ verdict, decision, line }) => {
      for (const [intent, status, captured] of [
        ['authorize', 'authorization_succeeded', 0],
        ['capture', 'capture_succeeded', part],
      ]) {
        const { body } = await shop.pay(20_00, { intent, buyer: buyer(verdict), ...more() })
        expect(body).toMatchObject({
          status,
          captured_amount: captured,
          intent_outcome: 'succeeded',
          anti_fraud_decision: decision,
          pending_review: false,
        })
        expect(
          (await shop.payment(body.id).timeline()).filter((name) => name.startsWith('anti-fraud')),
        ).toEqual([line])
      }
    },
  )

  test('of a rejected buyer is declined before any payment service gets it', async () => {
    for (const intent of ['authorize', 'capture']) {
      const { status, body } = await shop.pay(20_00, { intent, buyer: buyerScreenedAs('reject'), ...more() })
      expect(status).toBe(201)
      expect(body).toMatchObject({
        status: 'authorization_failed',
        intent_outcome: 'failed',
        error_code: 'suspected_fraud',
        anti_fraud_decision: 'reject',
        pending_review: false,
        authorized_amount: 0,
      })
      for (const redemption of body.gift_card_redemptions)
        expect(redemption).toMatchObject({ status: 'skipped' })
      const timeline = await shop.payment(body.id).timeline()
      expect(timeline).toContain('anti-fraud-decision')
      expect(timeline).not.toContain('payment-connector-external-transaction-request')
    }
  })

  test('of a buyer to review is authorized, and its capture waits', async () => {
    for (const intent of ['authorize', 'capture']) {
      const { body } = await shop.pay(20_00, { intent, buyer: buyerScreenedAs('review'), ...more() })
      expect(body).toMatchObject({
        status: 'authorization_succeeded',
        authorized_amount: part,
        captured_amount: 0,
        intent_outcome: intent === 'capture' ? 'pending' : 'succeeded',
        anti_fraud_decision: 'review',
        pending_review: true,
      })
      for (const redemption of body.gift_card_redemptions)
        expect(redemption).toMatchObject({ status: 'succeeded' })
      await railyard.recovery.runOnce()
      expect(await shop.payment(body.id).capture()).toMatchObject({
        status: 400,
        body: { message: 'The transaction is held for review' },
      })
      expect(await shop.payment(body.id).read()).toMatchObject({ captured_amount: 0, pending_review: true })
    }
    await expectBooksMatch(railyard, shop.account)
  })
})

describe('a payment that waits for a review', () => {
  const payForReview = (amount: number, more: object = {}) =>
    shop.pay(amount, { intent: 'capture', buyer: buyerScreenedAs('review'), ...more })

  test('has failed when the card is declined, and a decision changes nothing', async () => {
    const { body } = await payForReview(200_011)
    expect(body).toMatchObject({
      status: 'authorization_failed',
      pending_review: false,
      anti_fraud_decision: 'review',
    })
    await fraud.decides(body.id, 'ACCEPT')
    expect((await shop.get(`/transactions/${body.id}`)).body).toEqual(body)
  })

  test('and whose gift card refuses waits for the decision: accept undoes it, reject voids it and leaves the gift cards to the merchant', async () => {
    for (const [decision, refunded] of [
      ['ACCEPT', 3_00],
      ['REJECT', 0],
    ] as const) {
      const gift_cards = [
        { ...newGiftCard('05000'), amount: 3_00 },
        { ...newGiftCard('10006'), amount: 5_00 },
      ]
      const { body } = await payForReview(20_00, { gift_cards })
      expect(body).toMatchObject({
        status: 'authorization_succeeded',
        intent_outcome: 'failed',
        pending_review: true,
      })
      await fraud.decides(body.id, decision)
      const redemptions = [{ refunded_amount: refunded }, { status: 'failed' }]
      const after = {
        status: 'authorization_voided',
        intent_outcome: 'failed',
        captured_amount: 0,
        pending_review: false,
        gift_card_redemptions: redemptions,
      }
      expect(await shop.payment(body.id).read()).toMatchObject(after)
    }
    await expectBooksMatch(railyard, shop.account)
  })

  test('cannot be incremented', async () => {
    const { body } = await payForReview(20_00)
    expect(await shop.payment(body.id).increment(1_000_000)).toMatchObject({
      status: 400,
      body: { message: 'The transaction is held for review' },
    })
  })

  test('is not captured by a later capture (async_capture) before it is accepted', async () => {
    const { body } = await payForReview(20_00, { async_capture: true })
    expect(body).toMatchObject({ status: 'authorization_succeeded', pending_review: true })
    railyard.clock.advance(60_000)
    await railyard.recovery.runOnce()
    expect(await shop.payment(body.id).read()).toMatchObject({ captured_amount: 0 })
    await fraud.decides(body.id, 'ACCEPT')
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 20_00,
    })
  })

  test('follows a decision that came before the authorization’s outcome once that outcome is there', async () => {
    for (const [decision, status, captured] of [
      ['ACCEPT', 'capture_succeeded', 540_001],
      ['REJECT', 'authorization_voided', 0],
    ] as const) {
      const { body } = await payForReview(540_001)
      expect(body).toMatchObject({ status: 'processing', pending_review: true })
      expect(await fraud.decides(body.id, decision)).toMatchObject({ status: 200 })
      expect(await shop.payment(body.id).read()).toMatchObject({ status: 'processing', captured_amount: 0 })
      expect((await shop.payment(body.id).sync()).body).toMatchObject({
        status,
        captured_amount: captured,
        pending_review: false,
      })
    }
    await expectBooksMatch(railyard, shop.account)
  })

  test('is captured once when it is accepted while the outcome of its authorization is unknown', async () => {
    await injectFaults(
      railyard,
      { operation: 'authorize', kind: 'lost', times: 1 },
      { operation: 'close', kind: 'outage' },
    )
    const { body } = await payForReview(33_00)
    expect(body).toMatchObject({ status: 'processing' })
    await Promise.all([fraud.decides(body.id, 'ACCEPT'), fraud.decides(body.id, 'ACCEPT')])
    await recoverFully(railyard)
    railyard.clock.advance(120_000)
    await railyard.recovery.runOnce()
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 33_00,
      pending_review: false,
    })
    expect(await shop.payment(body.id).captures()).toHaveLength(1)
    await expectBooksMatch(railyard, shop.account)
  })
})

test('no service screens a payment of an account without one, or a payment that the merchant initiates', async () => {
  const other = await openShop(railyard)
  const { body } = await other.pay(20_00, { buyer: buyerScreenedAs('reject') })
  expect(body).toMatchObject({
    status: 'authorization_succeeded',
    anti_fraud_decision: null,
    pending_review: false,
  })
  const charge = {
    merchant_initiated: true,
    payment_source: 'card_on_file',
    is_subsequent_payment: true,
    buyer: buyerScreenedAs('reject'),
  }
  expect((await shop.pay(20_00, charge)).body).toMatchObject({
    status: 'authorization_succeeded',
    anti_fraud_decision: null,
  })
})

test('the service gets the payment and the device fingerprint, and never a card number', async () => {
  const { body } = await shop.pay(
    20_00,
    { buyer: buyerScreenedAs('accept'), anti_fraud_fingerprint: 'device-1' },
    { 'x-forwarded-for': '192.0.2.7' },
  )
  const { items } = (await shop.get(`/transactions/${body.id}/events`)).body
  const { context } = items.find(({ name }: { name: string }) => name === 'anti-fraud-decision')
  expect(context).toMatchObject({
    anti_fraud_service_id: fraud.id,
    decision: 'accept',
    response_status_code: 201,
    request: {
      transaction_id: body.id,
      amount: 20_00,
      device_fingerprint: 'device-1',
      card: { bin: '411111', last4: '1111' },
    },
  })
  expect(JSON.stringify(items)).not.toContain('4111111111111111')
})

test('the same request under one idempotency key is screened once', async () => {
  const headers = { 'idempotency-key': 'screened-once' }
  const pay = () => shop.pay(20_00, { buyer: buyerScreenedAs('review') }, headers)
  const [first, second] = [await pay(), await pay()]
  expect(second.body).toEqual(first.body)
  expect(
    (await shop.payment(first.body.id).timeline()).filter((name) => name === 'anti-fraud-decision'),
  ).toHaveLength(1)
})
