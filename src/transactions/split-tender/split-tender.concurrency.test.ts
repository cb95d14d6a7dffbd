import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { openWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '3000' })
const shop = await openWalletShop(railyard)
await addGiftCardService(railyard, shop)
afterAll(async () => {
  await recoverFully(railyard)
  await expectBooksMatch(railyard, shop.account)
})

const balanceOf = async (card: object) =>
  (await shop.post('/gift-cards/balances', { items: [card] })).body.items[0].balance
const storedGiftCard = async (pin: string) => {
  const card = newGiftCard(pin)
  const { status, body } = await shop.post('/gift-cards', card)
  expect({ status, body }).toMatchObject({ status: 201 })
  return { card, id: body.id as string }
}
const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
/** A captured payment of 50.00, of which gift cards paid 20.00. */
const captured = async () => {
  const cards = [newGiftCard('01000'), newGiftCard('01000')]
  const gift_cards = cards.map((card) => ({ ...card, amount: 10_00 }))
  const { body } = await shop.pay(50_00, { intent: 'capture', gift_cards })
  expect(body).toMatchObject({ status: 'capture_succeeded', intent_outcome: 'succeeded' })
  return {
    cards,
    payment: shop.payment(body.id),
    redemptions: body.gift_card_redemptions as { id: string }[],
  }
}

test('twenty concurrent payments take no more from a gift card than its balance', async () => {
  const card = newGiftCard('03500')
  const answers = await times(20, (index) =>
    index % 2
      ? shop.pay(30_00, { gift_cards: [{ ...card, amount: 10_00 }] })
      : shop.pay(10_00, { payment_method: undefined, gift_cards: [{ ...card, amount: 10_00 }] }),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(answers.filter(({ body }) => body.intent_outcome === 'succeeded')).toHaveLength(3)
  expect(answers.filter(({ body }) => body.intent_outcome === 'failed')).toHaveLength(17)
  expect(await balanceOf(card)).toBe(5_00)
  await expectBooksMatch(railyard, shop.account)
})

test('concurrent refunds of one redemption never refund more than it took', async () => {
  const { cards, payment, redemptions } = await captured()
  const refund = () =>
    payment.refund({ amount: 3_00, target_type: 'gift-card-redemption', target_id: redemptions[0]?.id })
  const answers = await times(8, refund)
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(5).fill(400)])
  expect(await balanceOf({ ...cards[0] })).toBe(9_00)
})

describe('two concurrent refunds of everything', () => {
  test('under one key are one refund with one answer', async () => {
    const { cards, payment } = await captured()
    const key = randomUUID()
    const all = () => shop.post(`/transactions/${payment.id}/refunds/all`, {}, { 'idempotency-key': key })
    const [one, two] = await Promise.all([all(), all()])
    expect([one.status, two.status]).toEqual([201, 201])
    expect(one.body).toEqual(two.body)
    expect(one.body.items).toHaveLength(3)
    expect(await Promise.all(cards.map(balanceOf))).toEqual([10_00, 10_00])
    expect(await payment.refunds()).toHaveLength(3)
  })

  test('under two keys refund everything once', async () => {
    const { cards, payment } = await captured()
    const all = () =>
      shop.post(`/transactions/${payment.id}/refunds/all`, {}, { 'idempotency-key': randomUUID() })
    const answers = await Promise.all([all(), all()])
    expect(answers.map(({ status }) => status)).toContain(201)
    expect(answers.filter(({ status }) => status === 201).flatMap(({ body }) => body.items)).toHaveLength(3)
    expect(await payment.read()).toMatchObject({ refunded_amount: 30_00 })
    expect(await Promise.all(cards.map(balanceOf))).toEqual([10_00, 10_00])
  })
})

test('a replay of a refund of everything refunds nothing that became free since', async () => {
  const { payment, redemptions } = await captured()
  await injectFaults(railyard, { operation: 'refund', kind: 'reset' })
  // a refund with an unknown outcome, which then fails and releases its reservation
  const target = { target_type: 'gift-card-redemption', target_id: redemptions[0]?.id }
  expect(await payment.refund(target)).toMatchObject({ status: 201, body: { status: 'processing' } })
  await injectFaults(railyard)
  const key = { 'idempotency-key': randomUUID() }
  const all = () => shop.post(`/transactions/${payment.id}/refunds/all`, {}, key)
  const first = await all()
  expect(first.body.items).toHaveLength(2)
  await railyard.world.run(
    `with o as (update operations set status = 'failed', error_code = 'unknown_error', check_at = null, settled_at = updated_at
                  where transaction_id = $1 and status = 'unknown' returning id, transaction_id),
          outbox as (update events e set target = (e.target::jsonb || '{"status": "failed"}')::json from o where e.target_id = o.id)
     update transactions t set gift_cards = redemptions_after(gift_cards, jsonb_build_object($2::text, jsonb_build_object('reserved', -1000))) from o where t.id = o.transaction_id`,
    [payment.id, redemptions[0]?.id],
  )
  expect(await all()).toMatchObject({ status: 201, body: first.body })
  expect(await payment.refund(target)).toMatchObject({
    status: 201,
    body: { status: 'succeeded', amount: 10_00 },
  })
})

describe('while a part of a split tender has no outcome', () => {
  test('captures, voids, increments and refunds are too early', async () => {
    const good = { ...newGiftCard('01000'), amount: 10_00 }
    await injectFaults(railyard, { operation: 'redeem', kind: 'lost' })
    const { body } = await shop.pay(50_00, { gift_cards: [good] })
    const payment = shop.payment(body.id)
    const target = { target_type: 'gift-card-redemption', target_id: body.gift_card_redemptions[0].id }
    const answers = [
      await payment.capture(),
      await payment.void(),
      await payment.increment(1),
      await payment.refund(target),
    ]
    expect(answers.map(({ status }) => status)).toEqual([425, 425, 425, 425])
    await recoverFully(railyard)
    expect((await payment.capture()).status).toBe(200)
  })

  test('a refund of the wallet’s part is too early, since a compensation may still refund it', async () => {
    const cards = [
      { ...newGiftCard('01000'), amount: 10_00 },
      { ...newGiftCard('01'), amount: 5_00 },
    ]
    const payment = await shop.asked(50_00, { intent: 'capture', gift_cards: cards })
    await injectFaults(railyard, { operation: 'redeem', kind: 'lost' })
    await payment.buyer.approve()
    await payment.sync()
    expect(await payment.read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 35_00,
      amount: 50_00,
      intent_outcome: 'pending',
    })
    expect([(await payment.refund({ amount: 1_00 })).status, (await payment.refundAll()).status]).toEqual([
      425, 425,
    ])
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject({ refunded_amount: 35_00, intent_outcome: 'failed' })
  })

  test('a refund to a gift card waits for a capture that is pending', async () => {
    const pendingCapture = 500_003
    const { body } = await shop.pay(pendingCapture + 10_00, {
      intent: 'capture',
      gift_cards: [{ ...newGiftCard('01000'), amount: 10_00 }],
    })
    expect(body).toMatchObject({
      status: 'capture_pending',
      gift_card_redemptions: [{ status: 'succeeded' }],
    })
    const target = { target_type: 'gift-card-redemption', target_id: body.gift_card_redemptions[0].id }
    expect((await shop.payment(body.id).refund(target)).status).toBe(425)
    // a sync finds the outcome of the capture
    await shop.payment(body.id).sync()
    await shop.payment(body.id).sync()
    expect((await shop.payment(body.id).refund(target)).status).toBe(201)
  })

  test('the stored gift card may be deleted, and recovery still redeems it', async () => {
    const { card, id } = await storedGiftCard('02000')
    await injectFaults(railyard, { operation: 'redeem', kind: 'reset' })
    const { body } = await shop.pay(50_00, { gift_cards: [{ id, amount: 10_00 }] })
    expect(body.gift_card_redemptions).toMatchObject([{ status: 'created', gift_card: { id } }])
    expect((await shop.delete(`/gift-cards/${id}`)).status).toBe(204)
    await recoverFully(railyard)
    expect(await shop.payment(body.id).read()).toMatchObject({
      intent_outcome: 'succeeded',
      gift_card_redemptions: [{ status: 'succeeded' }],
    })
    expect(await balanceOf(card)).toBe(10_00)
  })

  test('the stored payment method may be deleted, and recovery still completes the payment', async () => {
    const stored = await shop.post('/payment-methods', {
      method: 'card',
      number: '4111111111111111',
      expiration_date: '12/35',
    })
    await injectFaults(railyard, { operation: 'authorize', kind: 'lost' })
    const gift_cards = [{ ...newGiftCard('01000'), amount: 10_00 }]
    const { body } = await shop.pay(50_00, {
      intent: 'capture',
      payment_method: { method: 'id', id: stored.body.id },
      gift_cards,
    })
    expect(body).toMatchObject({ status: 'processing' })
    expect((await shop.delete(`/payment-methods/${stored.body.id}`)).status).toBe(204)
    await recoverFully(railyard)
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'capture_succeeded',
      captured_amount: 40_00,
      intent_outcome: 'succeeded',
    })
    expect((await shop.get(`/payment-methods/${stored.body.id}`)).status).toBe(404)
  })
})

test('a gift card that was archived as empty is listed again after a refund to it', async () => {
  const buyer = (await shop.post('/buyers', {})).body.id
  const card = newGiftCard('01000')
  const { body: stored } = await shop.post('/gift-cards', { ...card, buyer_id: buyer })
  const { body } = await shop.pay(30_00, {
    intent: 'capture',
    buyer_id: buyer,
    gift_cards: [{ id: stored.id, amount: 10_00 }],
  })
  const listed = async () =>
    (await shop.get(`/buyers/gift-cards?buyer_id=${buyer}`)).body.items.map(({ id }: { id: string }) => id)
  expect(await listed()).toEqual([])
  const target = { target_type: 'gift-card-redemption', target_id: body.gift_card_redemptions[0].id }
  expect((await shop.payment(body.id).refund({ amount: 4_00, ...target })).status).toBe(201)
  expect(await listed()).toEqual([stored.id])
})
