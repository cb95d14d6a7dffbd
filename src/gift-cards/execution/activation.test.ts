import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  eventsOf,
  giftCardBooks,
  newGiftCard,
  openGiftShop,
} from '../../../test/support/domains/gift-cards.ts'
import { injectFaults } from '../../../test/support/provider.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { FaultItem } from '../../sandbox/faults/fault.schema.ts'

const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '1000' })
const shop = await openGiftShop(railyard)

const withAmount = { amount: 25_00, currency: 'EUR' }
const idempotencyKey = (key: string) => ({ 'idempotency-key': key })
const activate = (body: object, key?: string) =>
  shop.post('/gift-cards/activations', body, key === undefined ? {} : idempotencyKey(key))
const issue = (body: object = {}, key?: string) =>
  shop.post(
    '/gift-cards/issuances',
    { theme: 'birthday', ...withAmount, ...body },
    key === undefined ? {} : idempotencyKey(key),
  )
const setFaults = (...items: Omit<FaultItem, 'payment_service_id'>[]) =>
  injectFaults(railyard, ...items.map((item) => ({ ...item, payment_service_id: shop.giftCardServiceId })))
const lost = { status: 504, body: { code: 'gateway_timeout' } }
/** How often the provider approved an operation of this kind. */
const approved = async (kind: string) =>
  (await giftCardBooks(railyard, shop.giftCardServiceId)).operations.filter(
    (operation) => operation.kind === kind && operation.status === 'approved',
  ).length

describe('an activation', () => {
  test('puts its amount on the card, and answers a card that is not stored', async () => {
    const { number } = newGiftCard()
    const answer = await activate({ number, ...withAmount, external_identifier: 'order-1' })
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
    const { status, body } = await activate({ ...card, ...withAmount, store: true, buyer_id })
    expect({ status, body }).toMatchObject({ status: 201, body: { buyer: { id: buyer_id } } })
    expect((await shop.get(`/gift-cards/${body.id}`)).body).toEqual(body)
    expect(await eventsOf(railyard, body.id)).toEqual([{ name: 'gift-card.created', target: body }])
    expect((await shop.get(`/buyers/gift-cards?buyer_id=${buyer_id}`)).body.items).toMatchObject([
      { id: body.id, balance: 25_00 },
    ])
  })

  test('that breaks a rule is not sent to the gift card service', async () => {
    const { number, pin } = newGiftCard()
    const before = await approved('activate')
    const buyer_id = await shop.buyer()
    expect(await activate({ number, amount: 1 })).toMatchObject(invalidFields('/currency'))
    expect(await activate({ number, currency: 'EUR' })).toMatchObject(invalidFields('/amount'))
    expect(await activate({ number, amount: 1, currency: 'XXQ' })).toMatchObject(invalidFields('/currency'))
    expect(await activate({ number, store: true })).toMatchObject(invalidFields('/pin'))
    expect(await activate({ number, pin, buyer_id })).toMatchObject(invalidFields('/buyer_id'))
    expect(await activate({ number, pin, buyer_external_identifier: 'x', store: false })).toMatchObject(
      invalidFields('/buyer_external_identifier'),
    )
    expect(await activate({ number, pin, store: true, buyer_id: randomUUID() })).toMatchObject(
      invalidFields('/buyer_id'),
    )
    const { id } = await shop.stored({ number, pin, buyer_id })
    expect(await activate({ number, pin, store: true, buyer_id })).toMatchObject({
      status: 409,
      body: { resource_id: id },
    })
    expect(await activate({ number }, 'k'.repeat(256))).toMatchObject({
      status: 400,
      body: { details: [{ location: 'header', pointer: 'idempotency-key' }] },
    })
    expect(await approved('activate')).toBe(before)
  })

  test('that the gift card service refuses is a 400 with its code', async () => {
    expect(await activate(newGiftCard('1002'))).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/number', type: 'inactive_card' }] },
    })
    const { number } = newGiftCard()
    await activate({ number })
    expect(await activate({ number })).toMatchObject({
      status: 400,
      body: { details: [{ type: 'duplicate_transaction' }] },
    })
  })
})

describe('with an idempotency key', () => {
  test('a repeated activation is done once and has the same answer', async () => {
    const body = { ...newGiftCard('0000'), ...withAmount, store: true, buyer_id: await shop.buyer() }
    const key = randomUUID()
    const first = await activate(body, key)
    expect(first.status).toBe(201)
    expect(await activate(body, key)).toMatchObject({ status: 201, body: first.body })
    expect(await shop.balance({ id: first.body.id })).toMatchObject({ balance: 25_00 })
  })

  test('a request that was refused or broke a rule can be corrected and sent again under its key', async () => {
    const key = randomUUID()
    const card = newGiftCard('1002')
    expect((await activate({ ...card, amount: 25_00 }, key)).status).toBe(400)
    for (let time = 0; time < 2; time++)
      expect((await activate({ ...card, ...withAmount }, key)).status).toBe(400)
    expect((await activate({ ...card, pin: '0000', ...withAmount }, key)).status).toBe(201)
  })

  test('a repetition that is refused keeps the key, since the first request may have taken effect', async () => {
    const own = await openGiftShop(railyard)
    const key = randomUUID()
    const issuance = { theme: 'birthday', ...withAmount }
    await injectFaults(railyard, { operation: 'issue', kind: 'lost' }, { operation: 'find', kind: 'error' })
    expect(await own.post('/gift-cards/issuances', issuance, idempotencyKey(key))).toMatchObject(lost)
    await injectFaults(railyard)
    const columns = await railyard.world.run('select fields, secrets from gift_card_services where id = $1', [
      own.giftCardServiceId,
    ])
    const setFields = async (fields: unknown, secrets: unknown) => {
      await railyard.world.run('update gift_card_services set fields = $2, secrets = $3 where id = $1', [
        own.giftCardServiceId,
        fields,
        secrets,
      ])
      railyard.world.changes.invalidate('gift_card_services')
    }
    await setFields('[]', null)
    expect(await own.post('/gift-cards/issuances', issuance, idempotencyKey(key))).toMatchObject({
      status: 400,
    })
    await setFields('[]', columns[0]?.['secrets'])
    expect((await own.post('/gift-cards/issuances', issuance, idempotencyKey(key))).status).toBe(201)
    expect((await giftCardBooks(railyard, own.giftCardServiceId)).operations).toHaveLength(1)
  })

  test('another body is a 409 that names the first request’s resource', async () => {
    const key = randomUUID()
    const { body } = await activate({ number: newGiftCard().number }, key)
    expect(await activate({ number: newGiftCard().number }, key)).toMatchObject({
      status: 409,
      body: { code: 'duplicate_record', resource_id: body.id },
    })
  })

  test('simultaneous repetitions of an activation or of an issuance are done once', async () => {
    const key = randomUUID()
    const card = { ...newGiftCard('0000'), ...withAmount, store: true, buyer_id: await shop.buyer() }
    const before = [await approved('activate'), await approved('issue')]
    for (const answers of [
      await Promise.all(Array.from({ length: 6 }, () => activate(card, key))),
      await Promise.all(Array.from({ length: 6 }, () => issue({}, key))),
    ]) {
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201))
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    }
    expect([await approved('activate'), await approved('issue')]).toEqual(before.map((count) => count + 1))
  })

  test('the same key is independent between operations and between accounts', async () => {
    const key = randomUUID()
    const { number } = newGiftCard()
    expect((await activate({ number }, key)).status).toBe(201)
    expect((await issue({}, key)).status).toBe(201)
    const other = await openGiftShop(railyard)
    expect((await other.post('/gift-cards/activations', { number }, idempotencyKey(key))).status).toBe(201)
  })
})

describe('when the answer of a gift card service is lost', () => {
  test.each(['lost', 'malformed', 'empty', 'error', 'reset', 'outage'] as const)(
    '(%s) a repetition under the same key does the activation or the issuance once',
    async (kind) => {
      const card = { ...newGiftCard('0000'), ...withAmount, store: true, buyer_id: await shop.buyer() }
      const [activation, issuance] = [randomUUID(), randomUUID()]
      const before = [await approved('activate'), await approved('issue')]
      await setFaults(
        { operation: 'activate', kind },
        { operation: 'issue', kind },
        { operation: 'find', kind: 'error' },
      )
      expect(await activate(card, activation)).toMatchObject(lost)
      expect(await issue({}, issuance)).toMatchObject(lost)
      await setFaults()
      const again = [await activate(card, activation), await issue({}, issuance)]
      expect(again.map(({ status }) => status)).toEqual([201, 201])
      expect([await approved('activate'), await approved('issue')]).toEqual(before.map((count) => count + 1))
      expect(await shop.balance({ id: again[0]?.body.id })).toMatchObject({ balance: 25_00 })
      expect((await activate(card, activation)).body).toEqual(again[0]?.body)
    },
  )

  test('the request finds out by itself what took effect, with a key and without one', async () => {
    await setFaults({ operation: 'activate', kind: 'lost' })
    for (const key of [undefined, randomUUID()]) {
      const { number } = newGiftCard()
      expect((await activate({ number, ...withAmount }, key)).status).toBe(201)
      expect(await shop.balance({ number, pin: '0000' })).toMatchObject({ balance: 25_00 })
    }
    await setFaults()
  })

  test('a request without a key never takes effect later', async () => {
    const { number } = newGiftCard()
    await setFaults({ operation: 'activate', kind: 'delay', delay_ms: 1_300, times: 1 })
    expect(await activate({ number, ...withAmount })).toMatchObject(lost)
    const { closed } = (await (await fetch(`${railyard.simulatorUrl}/books`)).json()) as { closed: string[] }
    expect(closed).toHaveLength(1)
    expect(await activate({ number, ...withAmount })).toMatchObject({ status: 201 })
    expect(await shop.balance({ number, pin: '0000' })).toMatchObject({ balance: 25_00 })
  })

  test('a repetition goes to the gift card service of the first request, also if another one is active by now', async () => {
    const own = await openGiftShop(railyard)
    const key = randomUUID()
    const body = { number: newGiftCard().number, ...withAmount }
    await injectFaults(
      railyard,
      { operation: 'activate', kind: 'lost' },
      { operation: 'find', kind: 'error' },
    )
    expect(await own.post('/gift-cards/activations', body, idempotencyKey(key))).toMatchObject(lost)
    await injectFaults(railyard)
    await own.put(`/gift-card-services/${own.giftCardServiceId}`, { active: false })
    const answer = await own.post('/gift-cards/activations', body, idempotencyKey(key))
    expect(answer).toMatchObject({ status: 201, body: { gift_card_service: { id: own.giftCardServiceId } } })
    expect((await giftCardBooks(railyard, own.giftCardServiceId)).cards).toMatchObject([{ balance: 25_00 }])
  })
})

describe('an issuance', () => {
  test('answers the URL at which the buyer finds the card', async () => {
    const { status, body } = await issue({ external_identifier: 'order-2' })
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
    expect(await issue({ amount: 0 })).toMatchObject({
      status: 400,
      body: { details: [{ pointer: '/amount', type: 'invalid_amount' }] },
    })
    expect(await issue({ currency: 'XXQ' })).toMatchObject(invalidFields('/currency'))
    expect((await issue({ theme: '' })).status).toBe(422)
  })
})
