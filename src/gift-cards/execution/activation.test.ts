import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, type GiftShop, giftCardBooks, newGiftCard, openGiftShop } from '../../../test/support/domains/gift-cards.ts'
import { injectFaults } from '../../../test/support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import type { FaultItem } from '../../sandbox/faults/fault.schema.ts'

let railyard: TestRailyard
let shop: GiftShop
beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await openGiftShop(railyard)
})
afterAll(() => railyard.close())

const withAmount = { amount: 25_00, currency: 'EUR' }
const named = (key: string) => ({ 'idempotency-key': key })
const activates = (body: object, key?: string) => shop.post('/gift-cards/activations', body, key === undefined ? {} : named(key))
const issues = (body: object = {}, key?: string) =>
  shop.post('/gift-cards/issuances', { theme: 'birthday', ...withAmount, ...body }, key === undefined ? {} : named(key))
const faults = (...items: Omit<FaultItem, 'payment_service_id'>[]) =>
  injectFaults(railyard, ...items.map((item) => ({ ...item, payment_service_id: shop.giftCardServiceId })))
const lost = { status: 504, body: { code: 'gateway_timeout' } }
/** How often the provider approved such an operation. */
const approved = async (kind: string) =>
  (await giftCardBooks(railyard, shop.giftCardServiceId)).operations.filter((operation) => operation.kind === kind && operation.status === 'approved')
    .length

describe('an activation', () => {
  test('puts its amount on the card, and answers a card that is not stored', async () => {
    const { number } = newGiftCard()
    const answer = await activates({ number, ...withAmount, external_identifier: 'order-1' })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        type: 'gift-card',
        bin: number.slice(0, 6),
        last4: number.slice(-4),
        buyer: null,
        usage_count: 0,
        expiration_date: '2099-12-31T23:59:59.000000+00:00',
      },
    })
    expect((await shop.get(`/gift-cards/${answer.body.id}`)).status).toBe(404)
    expect(await shop.balance({ number, pin: '0000' })).toMatchObject({ balance: 25_00, currency: 'EUR' })
  })

  test('stores the card for a buyer', async () => {
    const buyer_id = await shop.buyer()
    const card = newGiftCard('0000')
    const { status, body } = await activates({ ...card, ...withAmount, store: true, buyer_id })
    expect({ status, body }).toMatchObject({ status: 201, body: { buyer: { id: buyer_id } } })
    expect((await shop.get(`/gift-cards/${body.id}`)).body).toEqual(body)
    expect(await eventsOf(railyard, body.id)).toEqual([{ name: 'gift-card.created', target: body }])
    expect((await shop.get(`/buyers/gift-cards?buyer_id=${buyer_id}`)).body.items).toMatchObject([{ id: body.id, balance: 25_00 }])
  })

  test('that breaks a rule asks nobody', async () => {
    const { number, pin } = newGiftCard()
    const before = await approved('activate')
    const buyer_id = await shop.buyer()
    expect(await activates({ number, amount: 1 })).toMatchObject(invalidFields('/currency'))
    expect(await activates({ number, currency: 'EUR' })).toMatchObject(invalidFields('/amount'))
    expect(await activates({ number, amount: 1, currency: 'XXQ' })).toMatchObject(invalidFields('/currency'))
    expect(await activates({ number, store: true })).toMatchObject(invalidFields('/pin'))
    expect(await activates({ number, pin, buyer_id })).toMatchObject(invalidFields('/buyer_id'))
    expect(await activates({ number, pin, buyer_external_identifier: 'x', store: false })).toMatchObject(invalidFields('/buyer_external_identifier'))
    expect(await activates({ number, pin, store: true, buyer_id: randomUUID() })).toMatchObject(invalidFields('/buyer_id'))
    const { id } = await shop.stored({ number, pin, buyer_id })
    expect(await activates({ number, pin, store: true, buyer_id })).toMatchObject({ status: 409, body: { resource_id: id } })
    expect(await activates({ number }, 'k'.repeat(256))).toMatchObject({
      status: 400,
      body: { details: [{ location: 'header', pointer: 'idempotency-key' }] },
    })
    expect(await approved('activate')).toBe(before)
  })

  test('that the service refuses is a 400 with its code', async () => {
    expect(await activates(newGiftCard('1002'))).toMatchObject({ status: 400, body: { details: [{ pointer: '/number', type: 'inactive_card' }] } })
    const { number } = newGiftCard()
    await activates({ number })
    expect(await activates({ number })).toMatchObject({ status: 400, body: { details: [{ type: 'duplicate_transaction' }] } })
  })
})

describe('asked twice under one idempotency key', () => {
  test('an activation is done once and answered the same', async () => {
    const body = { ...newGiftCard('0000'), ...withAmount, store: true, buyer_id: await shop.buyer() }
    const key = randomUUID()
    const first = await activates(body, key)
    expect(first.status).toBe(201)
    expect(await activates(body, key)).toMatchObject({ status: 201, body: first.body })
    expect(await shop.balance({ id: first.body.id })).toMatchObject({ balance: 25_00 })
  })

  test('one that was refused can be mended and sent again, and so can one that broke a rule', async () => {
    const key = randomUUID()
    const card = newGiftCard('1002')
    expect((await activates({ ...card, amount: 25_00 }, key)).status).toBe(400)
    for (let time = 0; time < 2; time++) expect((await activates({ ...card, ...withAmount }, key)).status).toBe(400)
    expect((await activates({ ...card, pin: '0000', ...withAmount }, key)).status).toBe(201)
  })

  test('one that is refused when it is repeated keeps its key: the first may have taken effect', async () => {
    const own = await openGiftShop(railyard)
    const key = randomUUID()
    const issuance = { theme: 'birthday', ...withAmount }
    await injectFaults(railyard, { operation: 'issue', kind: 'lost' }, { operation: 'find', kind: 'error' })
    expect(await own.post('/gift-cards/issuances', issuance, named(key))).toMatchObject(lost)
    await injectFaults(railyard)
    const columns = await railyard.world.run('select fields, secrets from gift_card_services where id = $1', [own.giftCardServiceId])
    const setFields = async (fields: unknown, secrets: unknown) => {
      await railyard.world.run('update gift_card_services set fields = $2, secrets = $3 where id = $1', [own.giftCardServiceId, fields, secrets])
      railyard.world.changes.invalidate('gift_card_services')
    }
    await setFields('[]', null)
    expect(await own.post('/gift-cards/issuances', issuance, named(key))).toMatchObject({ status: 400 })
    await setFields('[]', columns[0]?.['secrets'])
    expect((await own.post('/gift-cards/issuances', issuance, named(key))).status).toBe(201)
    expect((await giftCardBooks(railyard, own.giftCardServiceId)).operations).toHaveLength(1)
  })

  test('with another body it is a 409 that names the first', async () => {
    const key = randomUUID()
    const { body } = await activates({ number: newGiftCard().number }, key)
    expect(await activates({ number: newGiftCard().number }, key)).toMatchObject({
      status: 409,
      body: { code: 'duplicate_record', resource_id: body.id },
    })
  })

  test('at the same moment, an activation and an issuance are each done once', async () => {
    const key = randomUUID()
    const card = { ...newGiftCard('0000'), ...withAmount, store: true, buyer_id: await shop.buyer() }
    const before = [await approved('activate'), await approved('issue')]
    for (const answers of [
      await Promise.all(Array.from({ length: 6 }, () => activates(card, key))),
      await Promise.all(Array.from({ length: 6 }, () => issues({}, key))),
    ]) {
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    }
    expect([await approved('activate'), await approved('issue')]).toEqual(before.map((count) => count + 1))
  })

  test('the key of one operation or account means nothing to another', async () => {
    const key = randomUUID()
    const { number } = newGiftCard()
    expect((await activates({ number }, key)).status).toBe(201)
    expect((await issues({}, key)).status).toBe(201)
    const other = await openGiftShop(railyard)
    expect((await other.post('/gift-cards/activations', { number }, named(key))).status).toBe(201)
  })
})

describe('when the answer is lost', () => {
  test.each(['lost', 'malformed', 'empty', 'error', 'reset', 'outage'] as const)(
    '(%s) the same key gets the activation and the issuance done, once',
    async (kind) => {
      const card = { ...newGiftCard('0000'), ...withAmount, store: true, buyer_id: await shop.buyer() }
      const [activation, issuance] = [randomUUID(), randomUUID()]
      const before = [await approved('activate'), await approved('issue')]
      await faults({ operation: 'activate', kind }, { operation: 'issue', kind }, { operation: 'find', kind: 'error' })
      expect(await activates(card, activation)).toMatchObject(lost)
      expect(await issues({}, issuance)).toMatchObject(lost)
      await faults()
      const again = [await activates(card, activation), await issues({}, issuance)]
      expect(again.map(({ status }) => status)).toEqual([201, 201])
      expect([await approved('activate'), await approved('issue')]).toEqual(before.map((count) => count + 1))
      expect(await shop.balance({ id: again[0]?.body.id })).toMatchObject({ balance: 25_00 })
      expect((await activates(card, activation)).body).toEqual(again[0]?.body)
    },
  )

  test('the books tell at once what took effect, with a key and without one', async () => {
    await faults({ operation: 'activate', kind: 'lost' })
    for (const key of [undefined, randomUUID()]) {
      const { number } = newGiftCard()
      expect((await activates({ number, ...withAmount }, key)).status).toBe(201)
      expect(await shop.balance({ number, pin: '0000' })).toMatchObject({ balance: 25_00 })
    }
    await faults()
  })

  test('what nobody can ask for again never takes effect afterwards', async () => {
    const { number } = newGiftCard()
    await faults({ operation: 'activate', kind: 'delay', delay_ms: 1_300, times: 1 })
    expect(await activates({ number, ...withAmount })).toMatchObject(lost)
    const { closed } = (await (await fetch(`${railyard.simulatorUrl}/books`)).json()) as { closed: string[] }
    expect(closed).toHaveLength(1)
    expect(await activates({ number, ...withAmount })).toMatchObject({ status: 201 })
    expect(await shop.balance({ number, pin: '0000' })).toMatchObject({ balance: 25_00 })
  })

  test('a repetition goes to the service of the first request, whichever is active now', async () => {
    const own = await openGiftShop(railyard)
    const key = randomUUID()
    const body = { number: newGiftCard().number, ...withAmount }
    await injectFaults(railyard, { operation: 'activate', kind: 'lost' }, { operation: 'find', kind: 'error' })
    expect(await own.post('/gift-cards/activations', body, named(key))).toMatchObject(lost)
    await injectFaults(railyard)
    await own.put(`/gift-card-services/${own.giftCardServiceId}`, { active: false })
    const answer = await own.post('/gift-cards/activations', body, named(key))
    expect(answer).toMatchObject({ status: 201, body: { gift_card_service: { id: own.giftCardServiceId } } })
    expect((await giftCardBooks(railyard, own.giftCardServiceId)).cards).toMatchObject([{ balance: 25_00 }])
  })
})

describe('an issuance', () => {
  test('answers where the buyer finds the card', async () => {
    const { status, body } = await issues({ external_identifier: 'order-2' })
    expect(status).toBe(201)
    expect(body).toEqual({
      type: 'gift-card-issuance',
      id: expect.any(String),
      merchant_account_id: shop.account,
      gift_card_service: expect.objectContaining({ id: shop.giftCardServiceId }),
      gift_card_service_payment_issuance_id: expect.stringMatching(/^iss_/),
      url: `https://gift-cards.example/${body.gift_card_service_payment_issuance_id}`,
      ...withAmount,
      external_identifier: 'order-2',
      created_at: body.created_at,
      updated_at: body.created_at,
    })
  })

  test('is refused for an amount or a currency that does not exist', async () => {
    expect(await issues({ amount: 0 })).toMatchObject({ status: 400, body: { details: [{ pointer: '/amount', type: 'invalid_amount' }] } })
    expect(await issues({ currency: 'XXQ' })).toMatchObject(invalidFields('/currency'))
    expect((await issues({ theme: '' })).status).toBe(422)
  })
})
