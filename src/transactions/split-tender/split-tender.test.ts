import { afterAll, describe, expect, test } from 'vitest'
import { addGiftCardService, openGiftShop } from '../../../test/support/domains/gift-cards.ts'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { card } from '../../../test/support/railyard.ts'
import { invalidFields, openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { verify } from '../../verify/verify.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })
const service = {
  gift_card_service_definition_id: 'mock-gift-card',
  display_name: 'Gift cards',
  fields: [{ key: 'api_key', value: 'test' }],
}
expect(await shop.post('/gift-card-services', service)).toMatchObject({ status: 201 })
afterAll(async () => {
  expect((await verify(railyard.world.run)).findings).toEqual([])
})

let cards = 0
/** An unused gift card with this balance, which the sandbox reads from the PIN (semantics §6.2). */
const giftCard = (balance: number) => {
  cards++
  return { number: `60360000${String(cards).padStart(8, '0')}`, pin: `0${balance}` }
}
const balanceOf = async (gift: { number: string; pin: string }) => {
  const answer = await shop.post('/gift-cards/balances', { items: [{ number: gift.number, pin: gift.pin }] })
  return answer.body.items[0].balance
}
const tenderOf = (gift: { number: string; pin: string }, amount: number) => ({ ...gift, amount })
const statuses = (body: { gift_card_redemptions: { status: string }[] }) =>
  body.gift_card_redemptions.map(({ status }) => status)

describe('a split tender', () => {
  test('authorizes the rest on the card, and redeems each gift card', async () => {
    const [one, two] = [giftCard(20_00), giftCard(30_00)]
    const { body } = await shop.pay(60_00, { gift_cards: [tenderOf(one, 20_00), tenderOf(two, 25_00)] })
    expect(body).toMatchObject({
      status: 'authorization_succeeded',
      amount: 60_00,
      authorized_amount: 15_00,
      intent_outcome: 'succeeded',
      multi_tender: true,
      gift_card_service: { type: 'gift-card-service', display_name: 'Gift cards' },
      gift_card_redemptions: [
        {
          status: 'succeeded',
          amount: 20_00,
          refunded_amount: 0,
          gift_card: { id: null, bin: '603600', last4: one.number.slice(-4) },
        },
        { status: 'succeeded', amount: 25_00, gift_card_service_redemption_id: expect.any(String) },
      ],
    })
    expect([await balanceOf(one), await balanceOf(two)]).toEqual([0, 5_00])
    expect(await shop.payment(body.id).timeline()).toEqual(
      expect.arrayContaining([
        'payment-connector-response-transaction-authorization-succeeded',
        'gift-card-redemption-succeeded',
      ]),
    )
  })

  test('with the intent capture captures the rest when every gift card is redeemed', async () => {
    const gift = giftCard(50_00)
    const { body } = await shop.pay(80_00, { intent: 'capture', gift_cards: [tenderOf(gift, 50_00)] })
    expect(body).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 30_00,
      intent_outcome: 'succeeded',
    })
    expect(await shop.payment(body.id).captures()).toMatchObject([{ status: 'succeeded', amount: 30_00 }])
  })

  test('of gift cards alone has no payment method', async () => {
    const [one, two] = [giftCard(20_00), giftCard(30_00)]
    const { body } = await shop.pay(50_00, {
      payment_method: undefined,
      gift_cards: [tenderOf(one, 20_00), tenderOf(two, 30_00)],
    })
    expect(body).toMatchObject({
      status: 'capture_succeeded',
      method: 'gift-card',
      payment_method: null,
      authorized_amount: 0,
      captured_amount: 0,
      intent_outcome: 'succeeded',
      multi_tender: true,
    })
    expect(statuses(body)).toEqual(['succeeded', 'succeeded'])
  })

  test('that has failed takes no money, even if the payment service refuses to void it', async () => {
    const refusedVoid = 510_002
    const { body } = await shop.pay(refusedVoid + 20_00, { gift_cards: [tenderOf(giftCard(10_00), 20_00)] })
    expect(body).toMatchObject({ status: 'authorization_succeeded', intent_outcome: 'failed' })
    const payment = shop.payment(body.id)
    const refused = { status: 400, body: { message: expect.stringContaining('has failed') } }
    expect(await payment.capture()).toMatchObject(refused)
    expect(await payment.increment(10_00)).toMatchObject(refused)
    expect(await payment.read()).toMatchObject({ captured_amount: 0, authorized_amount: refusedVoid })
    expect((await payment.void()).status).toBe(200)
  })

  test('does not redeem gift cards when the card is declined', async () => {
    const gift = giftCard(20_00)
    const { body } = await shop.pay(2_000_11 + 20_00, { gift_cards: [tenderOf(gift, 20_00)] })
    expect(body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'insufficient_funds',
      intent_outcome: 'failed',
    })
    expect(statuses(body)).toEqual(['skipped'])
    expect(await balanceOf(gift)).toBe(20_00)
  })
})

describe('a gift card that refuses', () => {
  test('undoes what the other gift cards and the card paid', async () => {
    const [good, empty, skipped] = [giftCard(20_00), giftCard(1_00), giftCard(5_00)]
    const { body } = await shop.pay(60_00, {
      gift_cards: [tenderOf(good, 20_00), tenderOf(empty, 10_00), tenderOf(skipped, 5_00)],
    })
    expect(body).toMatchObject({
      status: 'authorization_voided',
      intent_outcome: 'failed',
      error_code: 'insufficient_funds',
      gift_card_redemptions: [
        { status: 'succeeded', refunded_amount: 20_00 },
        { status: 'failed', error_code: 'insufficient_funds' },
        { status: 'skipped' },
      ],
    })
    expect([await balanceOf(good), await balanceOf(empty), await balanceOf(skipped)]).toEqual([
      20_00, 1_00, 5_00,
    ])
    expect(await shop.payment(body.id).timeline()).toEqual(
      expect.arrayContaining([
        'gift-card-redemption-failed',
        'gift-card-reversal-succeeded',
        'payment-connector-response-transaction-void-succeeded',
      ]),
    )
  })

  test('fails a payment of gift cards alone', async () => {
    const [good, empty] = [giftCard(20_00), giftCard(1_00)]
    const { body } = await shop.pay(30_00, {
      payment_method: undefined,
      gift_cards: [tenderOf(good, 20_00), tenderOf(empty, 10_00)],
    })
    expect(body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'insufficient_funds',
      intent_outcome: 'failed',
    })
    expect(await balanceOf(good)).toBe(20_00)
  })

  test('or whose answer is lost is found by recovery, and the payment continues', async () => {
    const gift = giftCard(20_00)
    await injectFaults(railyard, { operation: 'redeem', kind: 'lost', times: 1 })
    const { body } = await shop.pay(60_00, { intent: 'capture', gift_cards: [tenderOf(gift, 20_00)] })
    expect(body).toMatchObject({
      status: 'authorization_succeeded',
      intent_outcome: 'pending',
      gift_card_redemptions: [{ status: 'created' }],
    })
    await recoverFully(railyard)
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 40_00,
      intent_outcome: 'succeeded',
      gift_card_redemptions: [{ status: 'succeeded' }],
    })
    expect(await balanceOf(gift)).toBe(0)
  })
})

test('a cancellation of a split tender cancels the card’s part of the amount', async () => {
  // 5400.01 stays pending at the sandbox's payment service
  const { body } = await shop.pay(5_420_01, { gift_cards: [tenderOf(giftCard(20_00), 20_00)] })
  expect(body).toMatchObject({ status: 'processing' })
  expect(await shop.post(`/transactions/${body.id}/cancel`)).toMatchObject({
    status: 200,
    body: { status: 'succeeded' },
  })
  const { amount } = await railyard.world.db
    .selectFrom('operations')
    .select('amount')
    .where('transaction_id', '=', body.id)
    .where('kind', '=', 'cancel')
    .executeTakeFirstOrThrow()
  expect(Number(amount)).toBe(5_400_01)
})

describe('a refund', () => {
  test('to a gift card raises its balance, and never by more than it paid', async () => {
    const gift = giftCard(20_00)
    const { body } = await shop.pay(50_00, { intent: 'capture', gift_cards: [tenderOf(gift, 20_00)] })
    const [{ id: redemption }] = body.gift_card_redemptions
    const payment = shop.payment(body.id)
    const refund = (amount: number) =>
      payment.refund({ amount, target_type: 'gift-card-redemption', target_id: redemption })
    const answers = await Promise.all([refund(15_00), refund(15_00)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await balanceOf(gift)).toBe(15_00)
    expect(await payment.read()).toMatchObject({
      refunded_amount: 0,
      gift_card_redemptions: [{ refunded_amount: 15_00 }],
    })
    expect(await payment.refunds()).toMatchObject([
      {
        status: 'succeeded',
        amount: 15_00,
        target_type: 'gift-card-redemption',
        target_id: null,
        gift_card_redemption_id: redemption,
      },
    ])
  })

  test('with a target_id but without a target_type is refused', async () => {
    const { body } = await shop.pay(50_00, {
      intent: 'capture',
      gift_cards: [tenderOf(giftCard(20_00), 20_00)],
    })
    const payment = shop.payment(body.id)
    expect(await payment.refund({ amount: 1_00, target_id: body.gift_card_redemptions[0].id })).toMatchObject(
      invalidFields('/target_type'),
    )
    expect(await payment.refunds()).toEqual([])
  })

  test('of everything goes to the card and to every gift card, once for each idempotency key', async () => {
    const [one, two] = [giftCard(10_00), giftCard(10_00)]
    const { body } = await shop.pay(50_00, {
      intent: 'capture',
      gift_cards: [tenderOf(one, 10_00), tenderOf(two, 10_00)],
    })
    const everything = () =>
      shop.post(`/transactions/${body.id}/refunds/all`, {}, { 'idempotency-key': `all-${body.id}` })
    const first = await everything()
    expect(first).toMatchObject({
      status: 201,
      body: {
        items: [
          { amount: 30_00, target_type: 'payment-method' },
          { amount: 10_00, target_type: 'gift-card-redemption' },
          { amount: 10_00, target_type: 'gift-card-redemption' },
        ],
      },
    })
    expect((await everything()).body).toEqual(first.body)
    expect([await balanceOf(one), await balanceOf(two)]).toEqual([10_00, 10_00])
    expect(await shop.payment(body.id).refundAll()).toMatchObject({ status: 400 })
  })
})

describe('a payment is refused before any service gets it', () => {
  const same = giftCard(10_00)
  test.each([
    ['the same card twice', { gift_cards: [tenderOf(same, 1_00), tenderOf(same, 1_00)] }, '/gift_cards/1'],
    [
      'a stored card that is not there',
      { gift_cards: [{ id: '11111111-1111-4111-8111-111111111111', amount: 1_00 }] },
      '/gift_cards/0/id',
    ],
    ['more than the amount', { gift_cards: [tenderOf(giftCard(99_00), 99_00)] }, '/gift_cards'],
    ['an amount of zero', { gift_cards: [tenderOf(giftCard(99_00), 0)] }, '/gift_cards/0/amount'],
    [
      'a payment method although gift cards cover the amount',
      { gift_cards: [tenderOf(giftCard(50_00), 50_00)] },
      '/payment_method',
    ],
    [
      'no payment method although gift cards do not cover the amount',
      { payment_method: undefined, gift_cards: [tenderOf(giftCard(50_00), 40_00)] },
      '/payment_method',
    ],
  ])('with %s', async (_what, more, pointer) => {
    expect(await shop.pay(50_00, { payment_method: card, ...more })).toMatchObject(invalidFields(pointer))
  })

  test('with a stored card of another gift card service than the active one', async () => {
    const merchant = await openGiftShop(railyard)
    const stored = await merchant.stored()
    const pay = () =>
      merchant.post('/transactions', {
        amount: 10_00,
        currency: 'EUR',
        intent: 'capture',
        gift_cards: [{ id: stored.id, amount: 10_00 }],
      })
    expect(
      (await merchant.put(`/gift-card-services/${merchant.giftCardServiceId}`, { active: false })).status,
    ).toBe(200)
    const other = await addGiftCardService(railyard, merchant)
    expect(await pay()).toMatchObject(invalidFields('/gift_cards/0/id'))
    expect((await merchant.delete(`/gift-card-services/${other}`)).status).toBe(204)
    expect(
      (await merchant.put(`/gift-card-services/${merchant.giftCardServiceId}`, { active: true })).status,
    ).toBe(200)
    expect(await pay()).toMatchObject({ status: 201, body: { status: 'capture_succeeded' } })
  })

  test('with a gift card in an account without a gift card service', async () => {
    const other = await openShop(railyard)
    expect(await other.pay(50_00, { gift_cards: [tenderOf(giftCard(50_00), 10_00)] })).toMatchObject({
      status: 400,
    })
  })
})
