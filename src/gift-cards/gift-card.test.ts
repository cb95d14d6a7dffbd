import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { eventsOf, newGiftCard, openGiftShop } from '../../test/support/domains/gift-cards.ts'
import { injectFaults } from '../../test/support/provider.ts'
import { invalidFields } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await openGiftShop(railyard)

const refused = (code: string) => ({
  status: 400,
  body: { details: [{ location: 'body', pointer: '/number', type: code }] },
})

describe('a stored gift card', () => {
  test('shows its first and last digits, its service and its buyer, and has an event', async () => {
    const { id: buyer_id } = (
      await shop.post('/buyers', { display_name: 'Ada', external_identifier: randomUUID() })
    ).body
    const created = await shop.stores({ number: '6006491234567897890', pin: '05000', buyer_id })
    expect(created).toMatchObject({ status: 201 })
    const { id, created_at } = created.body
    expect(created.body).toEqual({
      type: 'gift-card',
      id,
      merchant_account_id: shop.account,
      gift_card_service: {
        type: 'gift-card-service',
        id: shop.giftCardServiceId,
        gift_card_service_definition_id: 'mock-gift-card',
        display_name: 'Gift cards',
      },
      bin: '600649',
      sub_bin: '123',
      last4: '7890',
      expiration_date: '2099-12-31T23:59:59.000000+00:00',
      buyer: (await shop.get(`/buyers/${buyer_id}`)).body,
      created_at,
      updated_at: created_at,
      last_used_at: null,
      usage_count: 0,
      cit_last_used_at: null,
      cit_usage_count: 0,
    })
    expect((await shop.get(`/gift-cards/${id}`)).body).toEqual(created.body)
    expect(await eventsOf(railyard, id)).toEqual([{ name: 'gift-card.created', target: created.body }])
  })

  test('is deleted with its number', async () => {
    const card = await shop.stored()
    expect((await shop.delete(`/gift-cards/${card.id}`)).status).toBe(204)
    expect([
      (await shop.get(`/gift-cards/${card.id}`)).status,
      (await shop.delete(`/gift-cards/${card.id}`)).status,
    ]).toEqual([404, 404])
    expect(await eventsOf(railyard, card.id)).toMatchObject([
      { name: 'gift-card.created' },
      { name: 'gift-card.deleted', target: card },
    ])
    expect(await railyard.world.run('select 1 from gift_cards where id = $1', [card.id])).toEqual([])
  })

  test('stays without a buyer when its buyer is deleted', async () => {
    const buyer_id = await shop.buyer()
    const card = newGiftCard()
    const { id } = await shop.stored({ ...card, buyer_id })
    await shop.delete(`/buyers/${buyer_id}`)
    expect((await shop.get(`/gift-cards/${id}`)).body).toMatchObject({ buyer: null })
    expect(await shop.balance({ id })).toMatchObject({ balance: 50_00 })
    expect((await shop.get(`/gift-cards?buyer_id=${buyer_id}`)).body.items).toEqual([])
  })

  test('belongs to the buyer that the request names by an external identifier', async () => {
    const buyer_external_identifier = randomUUID()
    await shop.post('/buyers', { external_identifier: buyer_external_identifier })
    expect(await shop.stored({ buyer_external_identifier })).toMatchObject({
      buyer: { external_identifier: buyer_external_identifier },
    })
  })
})

describe('a gift card is not stored', () => {
  test.each([
    ['1000', 'invalid_gift_card'],
    ['1001', 'expired_card'],
    ['1002', 'inactive_card'],
    ['20009', 'service_error'],
    ['30003', 'invalid_service_credentials'],
    ['7', 'unknown_error'],
  ])('that its service refuses: the PIN %s answers %s', async (pin, code) => {
    expect(await shop.stores(newGiftCard(pin))).toMatchObject(refused(code))
  })

  test('twice for one buyer, but again for another buyer and without a buyer', async () => {
    const card = newGiftCard()
    const buyer_id = await shop.buyer()
    const answers = await Promise.all(Array.from({ length: 4 }, () => shop.stores({ ...card, buyer_id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    const id = answers.find(({ status }) => status === 201)?.body.id
    expect(await shop.stores({ ...card, buyer_id })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_record', resource_id: id },
    })
    await shop.stored({ ...card, buyer_id: await shop.buyer() })
    await shop.stored(card)
    await shop.stored(card)
  })

  test('when its buyer has ten, also when many requests come at once', async () => {
    const buyer_id = await shop.buyer()
    const answers = await Promise.all(
      Array.from({ length: 13 }, () => shop.stores({ ...newGiftCard(), buyer_id })),
    )
    const full = answers.filter(({ status }) => status === 400)
    expect([answers.filter(({ status }) => status === 201).length, full.length]).toEqual([10, 3])
    expect(full[0]?.body.details).toMatchObject([{ pointer: '/buyer_id', type: 'max_gift_cards_reached' }])
    const [{ id }] = (await shop.get(`/gift-cards?buyer_id=${buyer_id}`)).body.items
    await shop.delete(`/gift-cards/${id}`)
    await shop.stored({ buyer_id })
  })

  test('for a buyer that does not exist, or that is named in two ways', async () => {
    expect(await shop.stores({ ...newGiftCard(), buyer_id: randomUUID() })).toMatchObject(
      invalidFields('/buyer_id'),
    )
    expect(await shop.stores({ ...newGiftCard(), buyer_external_identifier: 'nobody' })).toMatchObject(
      invalidFields('/buyer_external_identifier'),
    )
    const both = { buyer_id: await shop.buyer(), buyer_external_identifier: 'x' }
    expect(await shop.stores({ ...newGiftCard(), ...both })).toMatchObject(invalidFields('/buyer_id'))
    const other = await openGiftShop(railyard)
    expect(await shop.stores({ ...newGiftCard(), buyer_id: await other.buyer() })).toMatchObject(
      invalidFields('/buyer_id'),
    )
  })

  test('while its service does not answer', async () => {
    await injectFaults(railyard, {
      operation: 'balance',
      kind: 'error',
      payment_service_id: shop.giftCardServiceId,
    })
    expect(await shop.stores(newGiftCard())).toMatchObject({ status: 504, body: { code: 'gateway_timeout' } })
    await injectFaults(railyard)
  })

  test('with a number or PIN of the wrong shape', async () => {
    for (const body of [
      { number: '4'.repeat(15) },
      { number: '4'.repeat(20) },
      { number: '4111 1111 1111 1111' },
      { pin: '' },
      { pin: '0\u0000' },
      { pin: '\ud800' },
    ]) {
      const { status, body: answer } = await shop.stores({ ...newGiftCard(), ...body })
      expect([status, JSON.stringify(answer).includes('4'.repeat(15))]).toEqual([422, false])
    }
  })
})

test('the list has every card of the account or of one buyer, page by page, the newest first', async () => {
  const own = await openGiftShop(railyard)
  const external_identifier = randomUUID()
  const buyer_id = (await own.post('/buyers', { external_identifier })).body.id
  const ids: string[] = []
  for (const more of [{ buyer_id }, {}, { buyer_id }]) ids.unshift((await own.stored(more)).id)
  const listed = async (query: string) => {
    const { body } = await own.get(`/gift-cards?${query}`)
    return {
      ids: body.items.map(({ id }: { id: string }) => id),
      next: body.next_cursor,
      previous: body.previous_cursor,
    }
  }
  expect((await listed('')).ids).toEqual(ids)
  for (const query of [`buyer_id=${buyer_id}`, `buyer_external_identifier=${external_identifier}`]) {
    expect((await listed(query)).ids).toEqual([ids[0], ids[2]])
  }
  expect((await listed(`buyer_id=${buyer_id}&buyer_external_identifier=nobody`)).ids).toEqual([])
  const first = await listed('limit=2')
  const second = await listed(`limit=2&cursor=${first.next}`)
  expect([first.ids, second.ids, second.next]).toEqual([ids.slice(0, 2), ids.slice(2), null])
  expect((await listed(`limit=2&cursor=${second.previous}`)).ids).toEqual(first.ids)
  expect((await own.get(`/gift-cards?buyer_id=${buyer_id}&cursor=${first.next}`)).status).toBe(400)
})
