import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newGiftCard, openGiftShop } from '../../test/support/domains/gift-cards.ts'
import { invalidFields } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { browserWithToken } from '../../test/support/tokens.ts'

const railyard = await startRailyardForFile()
const shop = await openGiftShop(railyard)

/** A browser with a token of the shop. */
const browser = (embed?: Record<string, unknown>) =>
  browserWithToken(railyard, shop.signer, embed && { amount: 25_00, currency: 'EUR', ...embed })

/** A stored card of a buyer, one of another buyer, and one of none. */
const storeCards = async (buyer_id: string, other: string) => ({
  own: await shop.stored({ buyer_id }),
  ofOther: await shop.stored({ buyer_id: other }),
  ownerless: await shop.stored(),
})

test('a browser stores, activates and lists cards of the buyer in its token, without naming that buyer', async () => {
  const external_identifier = randomUUID()
  const { id: buyer_id } = (await shop.post('/buyers', { external_identifier })).body
  for (const embed of [
    { buyer_id },
    { buyer_external_identifier: external_identifier },
    { buyer_id, buyer_external_identifier: external_identifier },
  ]) {
    const send = await browser(embed)
    expect(await send('POST', '/gift-cards', newGiftCard())).toMatchObject({
      status: 201,
      body: { buyer: { id: buyer_id } },
    })
    const activation = { ...newGiftCard(), amount: 25_00, currency: 'EUR', store: true }
    expect(await send('POST', '/gift-cards/activations', activation)).toMatchObject({
      status: 201,
      body: { buyer: { id: buyer_id } },
    })
  }
  const send = await browser({ buyer_id })
  expect((await send('GET', '/buyers/gift-cards')).body.items).toHaveLength(6)
  expect((await send('POST', '/gift-cards/activations', { number: newGiftCard().number })).status).toBe(201)
})

test('a browser cannot name another buyer, amount or currency than its token', async () => {
  const [buyer_id, other] = [await shop.buyer(), await shop.buyer()]
  const send = await browser({ buyer_id })
  expect(await send('POST', '/gift-cards', { ...newGiftCard(), buyer_id: other })).toMatchObject(
    invalidFields('/buyer_id'),
  )
  expect(
    await send('POST', '/gift-cards', { ...newGiftCard(), buyer_external_identifier: 'x' }),
  ).toMatchObject(invalidFields('/buyer_external_identifier'))
  const activation = { ...newGiftCard(), store: true, amount: 99_00, currency: 'USD', buyer_id: other }
  expect(await send('POST', '/gift-cards/activations', activation)).toMatchObject(
    invalidFields('/amount', '/currency', '/buyer_id'),
  )
  for (const query of [`buyer_id=${other}`, 'buyer_external_identifier=x']) {
    expect(await send('GET', `/buyers/gift-cards?${query}`)).toMatchObject({
      status: 400,
      body: { details: [{ location: 'query' }] },
    })
  }
  expect((await send('GET', `/buyers/gift-cards?buyer_id=${buyer_id}`)).status).toBe(200)
})

test('a browser reads the balances only of the stored cards of its own buyer', async () => {
  const [buyer_id, other] = [await shop.buyer(), await shop.buyer()]
  const { own, ofOther, ownerless } = await storeCards(buyer_id, other)
  const send = await browser({ buyer_id })
  expect(
    await send('POST', '/gift-cards/balances', { items: [{ id: own.id }, newGiftCard()] }),
  ).toMatchObject({ status: 200 })
  for (const { id } of [ofOther, ownerless]) {
    expect(await send('POST', '/gift-cards/balances', { items: [{ id }] })).toMatchObject(
      invalidFields('/items/0/id'),
    )
  }
  const ofUnknown = await browser({ buyer_id: 'no-such-buyer' })
  for (const { id } of [own, ownerless])
    expect((await ofUnknown('POST', '/gift-cards/balances', { items: [{ id }] })).status).toBe(400)
  expect((await ofUnknown('GET', '/buyers/gift-cards')).body).toEqual({ items: [] })
  expect((await ofUnknown('POST', '/gift-cards', newGiftCard())).status).toBe(400)
})

test('a browser whose token has no buyer can name none, and neither sees nor uses stored cards', async () => {
  const external = randomUUID()
  const { id: buyer_id } = (await shop.post('/buyers', { external_identifier: external })).body
  const [ofOther, ownerless] = [await shop.stored({ buyer_id }), await shop.stored()]
  for (const send of [await browser(), await browser({})]) {
    expect(await send('GET', '/buyers/gift-cards')).toMatchObject({ status: 200, body: { items: [] } })
    for (const [name, value] of Object.entries({ buyer_id, buyer_external_identifier: external })) {
      const activation = { ...newGiftCard(), store: true, [name]: value }
      expect(await send('GET', `/buyers/gift-cards?${name}=${value}`)).toMatchObject({
        status: 400,
        body: { details: [{ pointer: name }] },
      })
      expect(await send('POST', '/gift-cards', { ...newGiftCard(), [name]: value })).toMatchObject(
        invalidFields(`/${name}`),
      )
      expect(await send('POST', '/gift-cards/activations', activation)).toMatchObject(
        invalidFields(`/${name}`),
      )
    }
    for (const { id } of [ofOther, ownerless]) {
      expect(await send('POST', '/gift-cards/balances', { items: [{ id }] })).toMatchObject(
        invalidFields('/items/0/id'),
      )
      const payment = { amount: 25_00, currency: 'EUR', gift_cards: [{ id, amount: 25_00 }] }
      expect(await send('POST', '/transactions', payment)).toMatchObject(invalidFields('/gift_cards/0/id'))
    }
    expect(await send('POST', '/gift-cards', newGiftCard())).toMatchObject({
      status: 201,
      body: { buyer: null },
    })
  }
})

test('a browser pays only with the stored gift cards of its own buyer', async () => {
  const [buyer_id, other] = [await shop.buyer(), await shop.buyer()]
  const { own, ofOther, ownerless } = await storeCards(buyer_id, other)
  const send = await browser({ buyer_id })
  const pays = (id: string) => send('POST', '/transactions', { gift_cards: [{ id, amount: 25_00 }] })
  for (const { id } of [ofOther, ownerless])
    expect(await pays(id)).toMatchObject(invalidFields('/gift_cards/0/id'))
  expect(await pays(own.id)).toMatchObject({ status: 201, body: { buyer: { id: buyer_id }, amount: 25_00 } })
})

test('a browser reads the balances of as many gift cards at once as a payment takes', async () => {
  const send = await browser()
  const items = Array.from({ length: 11 }, () => newGiftCard())
  expect(await send('POST', '/gift-cards/balances', { items })).toMatchObject(invalidFields('/items'))
  expect((await send('POST', '/gift-cards/balances', { items: items.slice(1) })).status).toBe(200)
})

test('storing, reading balances and paying count together against the limit of 50 requests in 60 seconds', async () => {
  const send = await browser()
  const wrong = {
    amount: 1,
    currency: 'XXQ',
    payment_method: { method: 'card', number: '4111111111111111', expiration_date: '12/35' },
  }
  const requests = [
    ...Array.from({ length: 30 }, () => send('POST', '/gift-cards', newGiftCard('1000'))),
    ...Array.from({ length: 30 }, () => send('POST', '/gift-cards/balances', { items: [] })),
    ...Array.from({ length: 5 }, () => send('POST', '/transactions', wrong)),
  ]
  const answers = await Promise.all(requests)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
  const isFull = await send('POST', '/gift-cards', newGiftCard())
  expect([isFull.status, isFull.headers.get('ratelimit-remaining')]).toEqual([429, '0'])
  expect((await shop.post('/gift-cards/balances', { items: [] })).headers.has('ratelimit-limit')).toBe(false)
})
