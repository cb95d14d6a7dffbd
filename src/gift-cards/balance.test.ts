import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  addGiftCardService,
  eventsOf,
  newGiftCard,
  openGiftShop,
} from '../../test/support/domains/gift-cards.ts'
import { injectFaults } from '../../test/support/provider.ts'
import { invalidFields } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await openGiftShop(railyard)

const requestBalances = (items: object[], by = shop) => by.post('/gift-cards/balances', { items })
/** Newest first, each by its id. */
const ofBuyer = async (buyer: string, query = '') => {
  const answer = await shop.get(`/buyers/gift-cards?buyer_id=${buyer}${query}`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.items
}
const idsOf = async (buyer: string, query = '') =>
  (await ofBuyer(buyer, query)).map(({ id }: { id: string }) => id)

describe('the balances of gift cards', () => {
  test('are answered in the order of the request, for stored and other cards', async () => {
    const stored = newGiftCard('01000')
    const { id } = await shop.stored(stored)
    const [refused, plain] = [newGiftCard('1002'), newGiftCard('0777')]
    const answer = await requestBalances([refused, { id }, plain])
    expect(answer.status).toBe(200)
    const never = { last_used_at: null, usage_count: 0, cit_last_used_at: null, cit_usage_count: 0 }
    const digits = ({ number }: { number: string }) => ({
      bin: number.slice(0, 6),
      sub_bin: number.slice(6, 9),
      last4: number.slice(-4),
    })
    const common = { type: 'gift-card', merchant_account_id: shop.account, currency: null, ...never }
    const withBalance = {
      expiration_date: '2099-12-31T23:59:59.000000+00:00',
      balance_error_code: null,
      balance_raw_error_code: null,
      balance_raw_error_message: null,
    }
    expect(answer.body.items).toEqual([
      {
        ...common,
        ...digits(refused),
        id: null,
        balance: null,
        expiration_date: null,
        balance_error_code: 'inactive_card',
        balance_raw_error_code: 'inactive_card',
        balance_raw_error_message: 'validation_error: inactive_card',
      },
      { ...common, ...digits(stored), id, balance: 10_00, ...withBalance },
      { ...common, ...digits(plain), id: null, balance: 7_77, ...withBalance },
    ])
  })

  test('decrease with payments', async () => {
    const card = newGiftCard('05000')
    await shop.spends(card, 12_00)
    expect(await shop.balance(card)).toMatchObject({ balance: 38_00, currency: 'EUR' })
  })

  test('are refused if the request names a card twice, stored or not', async () => {
    const card = newGiftCard()
    const { id } = await shop.stored(card)
    expect(await requestBalances([card, newGiftCard(), { ...card, pin: '01' }])).toMatchObject(
      invalidFields('/items/2'),
    )
    expect(await requestBalances([{ id }, card])).toMatchObject(invalidFields('/items/1'))
    expect(await requestBalances([{ id }, { id: id.toUpperCase() }])).toMatchObject(invalidFields('/items/1'))
  })

  test('are refused for a stored card that is not the account’s', async () => {
    const other = await openGiftShop(railyard)
    const cardOfOther = await other.stored()
    expect(
      await requestBalances([newGiftCard(), { id: randomUUID() }, { id: cardOfOther.id }]),
    ).toMatchObject(invalidFields('/items/1/id', '/items/2/id'))
  })

  test('are an empty list for no cards, and refused for more than a hundred', async () => {
    expect((await requestBalances([])).body).toEqual({ items: [] })
    expect(await requestBalances(Array.from({ length: 101 }, () => newGiftCard()))).toMatchObject(
      invalidFields('/items'),
    )
    expect((await requestBalances([{ number: newGiftCard().number }])).status).toBe(422)
  })

  test('are null, with the reason, while the gift card service does not answer', async () => {
    await injectFaults(railyard, {
      operation: 'balance',
      kind: 'lost',
      payment_service_id: shop.giftCardServiceId,
    })
    expect((await requestBalances([newGiftCard()])).body.items).toMatchObject([
      { balance: null, balance_error_code: 'service_network_error' },
    ])
    await injectFaults(railyard)
  })

  test('of a stored card come from the gift card service that it was stored with', async () => {
    const own = await openGiftShop(railyard)
    const card = newGiftCard('05000')
    const { id } = await own.stored(card)
    await own.spends(card, 20_00)
    await own.delete(`/gift-card-services/${own.giftCardServiceId}`)
    expect((await requestBalances([{ id }], own)).status).toBe(400)
    await addGiftCardService(railyard, own)
    expect((await requestBalances([{ id }], own)).body.items).toMatchObject([{ balance: 30_00 }])
  })
})

describe('a buyer’s gift cards', () => {
  test('are shown with their balances, the newest first', async () => {
    const buyer = await shop.buyer()
    const [older, newer] = [newGiftCard('01000'), newGiftCard('02000')]
    for (const card of [older, newer]) await shop.stored({ ...card, buyer_id: buyer })
    await shop.spends(older, 4_00)
    expect(await ofBuyer(buyer)).toMatchObject([
      { balance: 20_00, last4: newer.number.slice(-4) },
      { balance: 6_00, currency: 'EUR', balance_error_code: null },
    ])
    expect(await idsOf(buyer, '&order_by=asc')).toEqual((await idsOf(buyer)).toReversed())
  })

  test('can be sorted by their use, cards that were never used coming last', async () => {
    const buyer = await shop.buyer()
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.push((await shop.stored({ buyer_id: buyer })).id)
    const used = (id: string | undefined, at: string, times: number) =>
      railyard.world.run('update gift_cards set last_used_at = $2, usage_count = $3 where id = $1', [
        id,
        at,
        times,
      ])
    await used(ids[0], '2026-01-02T00:00:00Z', 1)
    await used(ids[1], '2026-01-01T00:00:00Z', 5)
    expect(await idsOf(buyer, '&sort_by=last_used_at')).toEqual([ids[0], ids[1], ids[2]])
    expect(await idsOf(buyer, '&sort_by=last_used_at&order_by=asc')).toEqual([ids[1], ids[0], ids[2]])
    expect(await idsOf(buyer, '&sort_by=usage_count')).toEqual([ids[1], ids[0], ids[2]])
    expect((await ofBuyer(buyer, '&sort_by=usage_count'))[0]).toMatchObject({
      usage_count: 5,
      last_used_at: '2026-01-01T00:00:00.000000+00:00',
    })
  })

  test('that are empty are archived, without an event, and no longer count', async () => {
    const buyer = await shop.buyer()
    const card = newGiftCard('01000')
    const { id } = await shop.stored({ ...card, buyer_id: buyer })
    const other = await shop.stored({ buyer_id: buyer })
    await shop.spends(card, 10_00)
    expect(await idsOf(buyer)).toEqual([other.id])
    expect((await shop.get(`/gift-cards/${id}`)).status).toBe(200)
    expect(await eventsOf(railyard, id)).toHaveLength(1)
    expect(await shop.stores({ ...card, buyer_id: buyer })).toMatchObject({ status: 201 })
  })

  test('are all shown without balances while the gift card service does not answer, and none is archived', async () => {
    const buyer = await shop.buyer()
    const empty = newGiftCard('01000')
    const ids = [
      (await shop.stored({ buyer_id: buyer })).id,
      (await shop.stored({ ...empty, buyer_id: buyer })).id,
    ]
    await shop.spends(empty, 10_00)
    for (const kind of ['error', 'outage', 'malformed'] as const) {
      await injectFaults(railyard, { operation: 'balance', kind, payment_service_id: shop.giftCardServiceId })
      expect(await ofBuyer(buyer)).toMatchObject(
        ids.toReversed().map((id) => ({ id, balance: null, balance_error_code: 'service_network_error' })),
      )
    }
    await injectFaults(railyard)
    expect(await idsOf(buyer)).toEqual([ids[0]])
  })

  test('are found by the buyer’s id or external identifier, and an unknown buyer has none', async () => {
    const external_identifier = randomUUID()
    const { id } = (await shop.post('/buyers', { external_identifier })).body
    await shop.stored({ buyer_id: id })
    const byName = await shop.get(`/buyers/gift-cards?buyer_external_identifier=${external_identifier}`)
    expect(byName.body.items).toHaveLength(1)
    const refused = { status: 400, body: { details: [{ location: 'query', pointer: 'buyer_id' }] } }
    expect(await shop.get('/buyers/gift-cards')).toMatchObject(refused)
    expect(await shop.get(`/buyers/gift-cards?buyer_id=${id}&buyer_external_identifier=x`)).toMatchObject(
      refused,
    )
    expect(await ofBuyer(randomUUID())).toEqual([])
    const other = await openGiftShop(railyard)
    expect((await other.get(`/buyers/gift-cards?buyer_id=${id}`)).body.items).toEqual([])
  })
})

test('an expired card cannot be stored, and is no longer among its buyer’s cards', async () => {
  const buyer = await shop.buyer()
  const { id } = await shop.stored({ buyer_id: buyer })
  railyard.clock.advance(Date.UTC(2100, 0, 1) - railyard.clock.now())
  const later = await railyard.client({ account: shop.account })
  expect(await later.post('/gift-cards', newGiftCard())).toMatchObject({
    status: 400,
    body: { details: [{ pointer: '/number', type: 'expired_card' }] },
  })
  expect((await later.get(`/buyers/gift-cards?buyer_id=${buyer}`)).body).toEqual({ items: [] })
  expect((await later.get(`/gift-cards/${id}`)).body).toMatchObject({
    id,
    expiration_date: '2099-12-31T23:59:59.000000+00:00',
  })
})
