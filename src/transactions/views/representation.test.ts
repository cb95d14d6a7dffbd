import { describe, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { person } from '../../../test/support/people.ts'
import { card } from '../../../test/support/railyard.ts'
import { invalidFields, type Shop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()
await addGiftCardService(railyard, shop)

describe('a refund', () => {
  test('names the stored card that it goes back to', async () => {
    const { id } = (
      await shop.post('/payment-methods', { number: card.number, expiration_date: card.expiration_date })
    ).body
    const payment = await shop.sold(10_00, { payment_method: { method: 'id', id } })
    const { body } = await payment.refund({ amount: 1_00 })
    expect(body).toMatchObject({
      target_type: 'payment-method',
      target_id: id,
      gift_card_redemption_id: null,
    })
    expect((await shop.get(`/refunds/${body.id}`)).body).toMatchObject({ target_id: id })
    const storing = await shop.sold(10_00, { store: true })
    const stored = (await storing.read()).payment_method.id
    expect((await storing.refund()).body).toMatchObject({ target_id: stored })
    expect(stored).toEqual(expect.any(String))
  })

  test('names the stored gift card that it goes back to, and the redemption', async () => {
    const gift = (await shop.post('/gift-cards', newGiftCard())).body
    const payment = await shop.sold(30_00, {
      gift_cards: [
        { id: gift.id, amount: 5_00 },
        { ...newGiftCard(), amount: 5_00 },
      ],
    })
    const [stored, inline] = (await payment.read()).gift_card_redemptions
    const refundTo = (redemption: { id: string }) =>
      payment.refund({ target_type: 'gift-card-redemption', target_id: redemption.id, amount: 1_00 })
    expect((await refundTo(stored)).body).toMatchObject({
      target_id: gift.id,
      gift_card_redemption_id: stored.id,
    })
    expect((await refundTo(inline)).body).toMatchObject({
      target_id: null,
      gift_card_redemption_id: inline.id,
    })
    expect((await payment.refundAll()).body.items).toMatchObject([
      { target_type: 'payment-method', target_id: null },
      { target_id: gift.id, amount: 4_00 },
      { target_id: null, amount: 4_00 },
    ])
  })

  test('names the person who requested it; one requested with an API key names no creator', async () => {
    const payment = await shop.sold(10_00)
    const staff = await person(railyard, { merchantAccounts: [shop.account] })
    const own = { 'x-svc-merchant-account-id': shop.account }
    const { status, body } = await staff.send(
      'POST',
      `/transactions/${payment.id}/refunds`,
      { amount: 1_00 },
      own,
    )
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { creator: { id: staff.id, email_address: staff.email, name: expect.any(String) } },
    })
    const rest = await staff.send('POST', `/transactions/${payment.id}/refunds/all`, {}, own)
    expect(rest.body.items).toMatchObject([{ amount: 9_00, creator: { id: staff.id } }])
    const other = await shop.sold(10_00)
    expect((await other.refund()).body.creator).toBeNull()
  })
})

describe('a capture', () => {
  const airline = { booking_code: 'X1', passengers: [{ first_name: 'Ada' }] }

  test('replaces the airline data of the payment, and one without leaves them', async () => {
    const payment = await shop.authorized(10_00, { airline: { booking_code: 'X0', ticket_number: '7' } })
    await payment.capture({ amount: 4_00, final: false })
    expect((await payment.read()).airline).toMatchObject({ booking_code: 'X0', ticket_number: '7' })
    const { body } = await payment.capture({ amount: 6_00, airline })
    expect(body.airline).toEqual(airline)
    expect((await payment.read()).airline).toEqual(airline)
  })

  test('with a cart that a payment would refuse is refused', async () => {
    const payment = await shop.authorized(10_00)
    const item = { name: 'Hat', quantity: 1, unit_amount: 10_00 }
    expect(
      await payment.capture({ cart_items: [{ ...item, type: 'physical', product_type: 'digital' }] }),
    ).toMatchObject(invalidFields('/cart_items/0/type'))
    expect(await payment.capture({ cart_items: [item] })).toMatchObject({ status: 200 })
  })
})

describe('a cart', () => {
  const item = { name: 'Hat', quantity: 1, unit_amount: 10_00 }
  const categories = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`)
  const takers: [string, (cart_items: object[]) => ReturnType<Shop['post']>][] = [
    ['a payment', (cart_items) => shop.pay(10_00, { cart_items })],
    [
      'a payment link',
      (cart_items) =>
        shop.post('/payment-links', { amount: 10_00, currency: 'EUR', country: 'DE', cart_items }),
    ],
    ['a checkout session', (cart_items) => shop.post('/checkout/sessions', { cart_items })],
  ]

  test.each(takers)(
    'of %s is refused if type and product_type differ, with more than 100 categories an item, or with more than 249 items',
    async (_name, takes) => {
      expect(await takes([{ ...item, type: 'physical', product_type: 'digital' }])).toMatchObject(
        invalidFields('/cart_items/0/type'),
      )
      expect(await takes([item, { ...item, categories: categories(101) }])).toMatchObject(
        invalidFields('/cart_items/1/categories'),
      )
      expect(await takes(Array.from({ length: 250 }, () => item))).toMatchObject(invalidFields('/cart_items'))
      expect(
        await takes([{ ...item, type: 'physical', product_type: 'physical', categories: categories(100) }]),
      ).toMatchObject({ status: 201 })
    },
  )
})

test('a payment link answers its connection options without those that are null', async () => {
  const options = { 'mock-card': null, 'wallet-wallet': { user_action: 'PAY_NOW' } }
  const { body } = await shop.post('/payment-links', {
    amount: 10_00,
    currency: 'EUR',
    country: 'DE',
    connection_options: options,
  })
  expect(body.connection_options).toEqual({ 'wallet-wallet': { user_action: 'PAY_NOW' } })
})

test('a Mastercard payment has a transaction link id, and a payment that follows it has the same', async () => {
  const mastercard = { ...card, number: '5555555555554444' }
  const first = await shop.authorized(10_00, { payment_method: mastercard, payment_source: 'card_on_file' })
  const { transaction_link_id: linked } = await first.read()
  expect(linked).toEqual(expect.any(String))
  const more = { payment_source: 'card_on_file', merchant_initiated: true, is_subsequent_payment: true }
  const next = await shop.authorized(10_00, {
    payment_method: mastercard,
    ...more,
    previous_transaction_link_id: linked,
  })
  expect((await next.read()).transaction_link_id).toBe(linked)
  expect((await (await shop.authorized(10_00)).read()).transaction_link_id).toBeNull()
})
