import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newGiftCard, openGiftShop } from '../../test/support/domains/gift-cards.ts'
import { type Client, startTestRailyard } from '../../test/support/railyard.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { goodClaims, signed } from '../../test/support/tokens.ts'

const railyard = await startRailyardForFile({
  TRUSTED_PROXIES: '1',
  GIFT_CARD_PINS: '10',
  GIFT_CARD_NUMBERS_PER_ADDRESS: '6',
})
const shop = await openGiftShop(railyard)

interface CardInput {
  number: string
  pin: string
}
/** Different PINs that the simulated service refuses. */
const wrong = (turn: number) => `1${'0'.repeat(turn + 1)}`
const pay = (card: CardInput, by: Client = shop, headers = {}) =>
  by.post(
    '/transactions',
    { amount: 1_00, currency: 'EUR', gift_cards: [{ ...card, amount: 1_00 }] },
    headers,
  )
const requestBalances = (items: object[], by: Client = shop) => by.post('/gift-cards/balances', { items })
const signals = async (signal: string) =>
  Number(
    new RegExp(`railyard_card_testing_total\\{signal="${signal}"\\} (\\d+)`).exec(
      (await railyard.send('GET', '/metrics')).body,
    )?.[1] ?? 0,
  )

describe('a gift card number', () => {
  test('takes ten different PINs in ten minutes over all operations, and a metric counts the refusals', async () => {
    const { number, pin } = newGiftCard()
    const ways = [
      (card: CardInput) => requestBalances([card]),
      (card: CardInput) => shop.stores(card),
      (card: CardInput) => shop.post('/gift-cards/activations', card),
      (card: CardInput) => pay(card),
    ]
    const before = await signals('gift_card_pins')
    for (let turn = 0; turn < 9; turn++)
      expect((await ways[turn % 4]?.({ number, pin: wrong(turn) }))?.status).not.toBe(429)
    expect((await requestBalances([{ number, pin }])).status).toBe(200)
    for (const way of ways) {
      const refused = await way({ number, pin: wrong(10) })
      expect(refused).toMatchObject({
        status: 429,
        body: { code: 'too_many_requests', message: 'Too many different PINs for this gift card' },
      })
      expect(refused.headers.get('retry-after')).toBe('600')
    }
    expect(await signals('gift_card_pins')).toBe(before + 4)
    expect((await requestBalances([{ number, pin }])).body.items).toMatchObject([{ balance: 50_00 }])
    expect((await requestBalances([newGiftCard()])).status).toBe(200)
    const neighbour = await openGiftShop(railyard)
    expect((await requestBalances([{ number, pin: wrong(10) }], neighbour)).status).toBe(200)
    expect(railyard.logged.join('\n')).not.toContain(number)
    railyard.clock.advance(1_201_000)
    expect((await requestBalances([{ number, pin: wrong(10) }])).status).toBe(200)
  })

  test('is not confirmed by an idempotency key beyond the limit', async () => {
    const { number, pin } = newGiftCard()
    for (const path of ['/transactions', '/gift-cards/activations']) {
      const card = { number, pin: path === '/transactions' ? pin : '01' }
      const headers = { 'idempotency-key': randomUUID() }
      const send = (input: CardInput) =>
        path === '/transactions' ? pay(input, shop, headers) : shop.post(path, input, headers)
      expect((await send(card)).status).toBe(201)
      const statuses = []
      for (let turn = 0; turn < 12; turn++) statuses.push((await send({ number, pin: wrong(turn) })).status)
      expect(statuses.filter((status) => status === 409)).toHaveLength(9)
      expect(statuses.filter((status) => status === 429)).toHaveLength(3)
      expect((await send(card)).status).toBe(201)
      railyard.clock.advance(1_201_000)
    }
  })

  test.each([
    ['production', 429],
    ['sandbox', 400],
  ])(
    'takes ten PINs in production and any number in the sandbox, if the setting is absent: %s',
    async (environment, last) => {
      const other = await startTestRailyard({
        RAILYARD_ENV: environment,
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      })
      try {
        const { number } = newGiftCard()
        const statuses = []
        for (let turn = 0; turn < 11; turn++)
          statuses.push(
            (await other.admin.post('/gift-cards/activations', { number, pin: wrong(turn) })).status,
          )
        // there is no gift card service
        expect(statuses).toEqual([...Array(10).fill(400), last])
      } finally {
        await other.close()
      }
    },
  )
})

test('browsers at one address can send a merchant account so many different gift card numbers and no more, over all operations', async () => {
  const now = Math.floor(railyard.clock.now() / 1000)
  const token = await signed(
    shop.signer,
    goodClaims({ scopes: ['embed'], iat: now, nbf: now, exp: now + 300 }),
  )
  const send = (path: string, body: object, address: string) =>
    railyard.send('POST', path, {
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'x-forwarded-for': address,
      },
      body: JSON.stringify(body),
    })
  const before = await signals('gift_card_numbers')
  const [first, second] = [newGiftCard(), newGiftCard()]
  expect(
    (await send('/gift-cards/balances', { items: [first, second, newGiftCard()] }, '81.2.69.1')).status,
  ).toBe(200)
  expect((await send('/gift-cards', newGiftCard(), '81.2.69.1')).status).not.toBe(429)
  expect((await send('/gift-cards/activations', newGiftCard(), '81.2.69.1')).status).not.toBe(429)
  const payment = (card: CardInput) => ({
    amount: 1_00,
    currency: 'EUR',
    gift_cards: [{ ...card, amount: 1_00 }],
  })
  expect((await send('/transactions', payment(newGiftCard()), '81.2.69.1')).status).not.toBe(429)
  for (const [path, body] of [
    ['/gift-cards/balances', { items: [newGiftCard()] }],
    ['/gift-cards', newGiftCard()],
    ['/gift-cards/activations', newGiftCard()],
    ['/transactions', payment(newGiftCard())],
  ] as const)
    expect(await send(path, body, '81.2.69.1')).toMatchObject({
      status: 429,
      body: { message: 'Too many different gift cards from this address' },
    })
  expect(await signals('gift_card_numbers')).toBe(before + 4)
  expect((await send('/gift-cards/balances', { items: [first] }, '81.2.69.1')).status).toBe(200)
  expect((await send('/gift-cards/balances', { items: [newGiftCard()] }, '81.2.69.2')).status).toBe(200)
  expect((await requestBalances([newGiftCard(), newGiftCard()])).status).toBe(200)
})

describe('the number of a stored gift card', () => {
  test('is not confirmed by a wrong PIN: each answer is the same as for a number that is not stored', async () => {
    const buyer_id = await shop.buyer()
    const card = newGiftCard()
    const stored = await shop.stored({ ...card, buyer_id })
    const guesses = [
      { number: card.number, pin: wrong(0) },
      { number: newGiftCard().number, pin: wrong(0) },
    ]
    const answersOf = async (guess: CardInput) => {
      const beside = await requestBalances([{ id: stored.id }, guess])
      const store = await shop.stores({ ...guess, buyer_id })
      const activation = await shop.post('/gift-cards/activations', { ...guess, store: true, buyer_id })
      const payment = await shop.post('/transactions', {
        amount: 2_00,
        currency: 'EUR',
        buyer_id,
        gift_cards: [
          { id: stored.id, amount: 1_00 },
          { ...guess, amount: 1_00 },
        ],
      })
      return {
        beside: [beside.status, beside.body.items?.[1]?.balance_error_code],
        store: [store.status, store.body.details?.[0]?.type],
        activation: [activation.status, activation.body.details?.[0]?.type],
        payment: [payment.status, payment.body.status],
      }
    }
    const [ofStored, ofOther] = [await answersOf(guesses[0] ?? card), await answersOf(guesses[1] ?? card)]
    expect(ofStored).toEqual(ofOther)
    const refused = [400, 'invalid_gift_card']
    expect(ofStored).toEqual({
      beside: [200, 'invalid_gift_card'],
      store: refused,
      activation: refused,
      payment: [201, 'authorization_failed'],
    })
  })

  test('is confirmed with its PIN: the card can neither be stored again nor pay twice', async () => {
    const buyer_id = await shop.buyer()
    const card = newGiftCard()
    const { id } = await shop.stored({ ...card, buyer_id })
    expect(await shop.stores({ ...card, buyer_id })).toMatchObject({ status: 409, body: { resource_id: id } })
    expect((await requestBalances([{ id }, card])).status).toBe(400)
    const gift_cards = [
      { id, amount: 1_00 },
      { ...card, amount: 1_00 },
    ]
    expect(
      (await shop.post('/transactions', { amount: 2_00, currency: 'EUR', buyer_id, gift_cards })).status,
    ).toBe(400)
  })
})
