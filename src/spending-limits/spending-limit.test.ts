import { expect, onTestFinished, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../test/support/domains/gift-cards.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()

const account = { account: shop.account, merchantAccountIds: [shop.account] }
const header = { 'x-svc-merchant-account-id': shop.account }

/** A key pair that acts on the shop's account, with these limits. */
async function limited(...limits: object[]) {
  const client = await railyard.client(account)
  const ids: string[] = []
  for (const limit of limits) {
    const subject = { type: 'api-key-pair', id: client.keyId }
    const answer = await shop.post('/spending-limits', { subject, currency: 'EUR', ...limit })
    expect(answer).toMatchObject({ status: 201 })
    ids.push(answer.body.id)
  }
  const act = (id: string, action: string, body?: object, more?: Record<string, string>) =>
    client.post(`/transactions/${id}/${action}`, body, more)
  return {
    ...client,
    ids,
    refund: (id: string, amount?: number, more?: Record<string, string>) =>
      act(id, 'refunds', amount === undefined ? {} : { amount }, more),
    act,
    today: async () => (await shop.get(`/spending-limits/${ids[0]}`)).body.today,
  }
}

const exceeded = (...names: string[]) => ({
  status: 403,
  body: {
    code: 'spending_limit_exceeded',
    details: names.map((name) => ({ location: 'body', pointer: `/${name}`, type: 'spending_limit' })),
  },
})

test('a key pair refunds up to its limits; what would exceed one is refused and names it', async () => {
  const agent = await limited({ operation: 'refund', per_operation: 30_00, per_day: 50_00, count_per_day: 3 })
  const { id } = await shop.sold(200_00)
  expect(await agent.refund(id, 30_01)).toMatchObject(exceeded('per_operation'))
  expect(await agent.refund(id, 30_00)).toMatchObject({ status: 201 })
  const refused = await agent.refund(id, 20_01)
  expect(refused).toMatchObject(exceeded('per_day'))
  expect(refused.body.details[0].message).toBe('limit 5000, used 3000, remaining 2000')
  expect(refused.body.resource_id).toBe(agent.ids[0])
  expect(await agent.refund(id, 10_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(id, 1_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(id, 10_00)).toMatchObject(exceeded('per_day', 'count_per_day'))
  expect(await agent.today()).toMatchObject({ used: 41_00, remaining: 9_00, count: 3, remaining_count: 0 })
  expect(await agent.get('/spending-limits/mine')).toMatchObject({
    body: { items: [{ id: agent.ids[0], today: { remaining: 9_00 } }] },
  })
  // the merchant's other key pairs are not limited
  expect(await shop.payment(id).refund({ amount: 100_00 })).toMatchObject({ status: 201 })
  expect((await shop.payment(id).read()).refunded_amount).toBe(141_00)
})

test('a refund of the rest counts with its amount', async () => {
  const agent = await limited({ operation: 'refund', per_day: 50_00 })
  const large = await shop.sold(50_01)
  expect(await agent.refund(large.id)).toMatchObject(exceeded('per_day'))
  const small = await shop.sold(50_00)
  expect(await agent.refund(small.id)).toMatchObject({ status: 201, body: { amount: 50_00 } })
  expect(await agent.today()).toMatchObject({ remaining: 0 })
})

test('refunding everything stays within the limit, gift cards included', async () => {
  await addGiftCardService(railyard, shop)
  const split = await shop.sold(30_00, { gift_cards: [{ ...newGiftCard(), amount: 10_00 }] })
  const agent = await limited({ operation: 'refund', per_day: 20_00 })
  const answer = await agent.act(split.id, 'refunds/all')
  expect(answer).toMatchObject({ status: 201, body: { items: [{ amount: 20_00 }] } })
  const [redemption] = (await split.read()).gift_card_redemptions
  const toCard = { amount: 1, target_type: 'gift-card-redemption', target_id: redemption.id }
  expect(await agent.act(split.id, 'refunds', toCard)).toMatchObject(exceeded('per_day'))
  expect(await agent.act(split.id, 'refunds/all')).toMatchObject(exceeded('per_day'))
  const another = await limited({ operation: 'refund', per_day: 10_00 })
  expect(await another.act(split.id, 'refunds', { ...toCard, amount: 10_00 })).toMatchObject({ status: 201 })
  expect(await another.today()).toMatchObject({ remaining: 0 })
})

test('a limit for each buyer does not count the refunds of others; payments without a stored buyer are one', async () => {
  const agent = await limited({ operation: 'refund', per_buyer_per_day: 20_00 })
  const [ada, bob] = await Promise.all([1, 2].map(async () => (await shop.post('/buyers', {})).body.id))
  const [first, second, third, guest, other] = await Promise.all([
    shop.sold(50_00, { buyer_id: ada }),
    shop.sold(50_00, { buyer_id: ada }),
    shop.sold(50_00, { buyer_id: bob }),
    shop.sold(50_00),
    shop.sold(50_00),
  ])
  expect(await agent.refund(first.id, 15_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(second.id, 5_01)).toMatchObject(exceeded('per_buyer_per_day'))
  expect(await agent.refund(second.id, 5_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(third.id, 20_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(guest.id, 15_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(other.id, 5_01)).toMatchObject(exceeded('per_buyer_per_day'))
})

test('a key pair with a limit in one currency may not act in others', async () => {
  const agent = await limited(
    { operation: 'refund', per_day: 10_00 },
    { operation: 'refund', per_day: 5_00, currency: 'USD' },
  )
  const [euros, dollars, pounds] = await Promise.all(
    ['EUR', 'USD', 'GBP'].map((currency) => shop.sold(50_00, { currency })),
  )
  expect(await agent.refund(euros?.id ?? '', 10_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(dollars?.id ?? '', 5_01)).toMatchObject(exceeded('per_day'))
  expect(await agent.refund(dollars?.id ?? '', 5_00)).toMatchObject({ status: 201 })
  const refused = await agent.refund(pounds?.id ?? '', 1)
  expect(refused).toMatchObject(exceeded())
  expect(refused.body.message).toContain('none in GBP')
  // other operations are not limited
  const authorized = await shop.authorized(500_00)
  expect(await agent.act(authorized.id, 'capture')).toMatchObject({ status: 200 })
})

test('captures and voids have limits of their own; a cancellation counts as a void', async () => {
  const agent = await limited(
    { operation: 'capture', per_day: 10_00 },
    { operation: 'void', count_per_day: 1, per_operation: 40_00 },
  )
  const [first, second, large] = await Promise.all([
    shop.authorized(20_00),
    shop.authorized(20_00),
    shop.authorized(50_00),
  ])
  expect(await agent.act(first.id, 'capture', { amount: 10_00 })).toMatchObject({ status: 200 })
  expect(await agent.act(second.id, 'capture', { amount: 1 })).toMatchObject(exceeded('per_day'))
  expect(await agent.act(large.id, 'void')).toMatchObject(exceeded('per_operation'))
  expect(await agent.act(second.id, 'void')).toMatchObject({ status: 200 })
  const third = await shop.authorized(20_00)
  expect(await agent.act(third.id, 'void')).toMatchObject(exceeded('count_per_day'))
  expect(await third.read()).toMatchObject({ status: 'authorization_succeeded' })
})

test('payouts stay within their limit, and one that is declined gives back what it has reserved', async () => {
  const agent = await limited({ operation: 'payout', per_day: 6_000_00 })
  const payOut = (amount: number) => agent.post('/payouts', payoutOf(shop.paymentServiceId, { amount }))
  expect(await payOut(60_00)).toMatchObject({ status: 201, body: { status: 'succeeded' } })
  expect(await payOut(5_940_01)).toMatchObject(exceeded('per_day'))
  expect(await agent.today()).toMatchObject({ used: 60_00, count: 1 })
  for (const [amount, status] of [
    [530001, 'declined'],
    [530002, 'failed'],
  ] as const)
    expect(await payOut(amount)).toMatchObject({ status: 201, body: { status } })
  expect(await agent.today()).toMatchObject({ used: 60_00, count: 1 })
  expect(await payOut(5_940_00)).toMatchObject({ status: 201, body: { status: 'succeeded' } })
})

test('a refund that fails gives back what it has reserved; the key’s replay neither counts nor is refused', async () => {
  const agent = await limited({ operation: 'refund', per_day: 6_000_00 })
  const { id } = await shop.sold(9_000_00)
  for (const [amount, status] of [
    [520001, 'failed'],
    [520002, 'declined'],
  ] as const)
    expect(await agent.refund(id, amount)).toMatchObject({ status: 201, body: { status } })
  expect(await agent.today()).toMatchObject({ used: 0, count: 0 })
  const key = { 'idempotency-key': 'once' }
  const first = await agent.refund(id, 6_000_00, key)
  expect(first).toMatchObject({ status: 201 })
  expect(await agent.refund(id, 6_000_00, key)).toMatchObject({ status: 201, body: { id: first.body.id } })
  expect(await agent.today()).toMatchObject({ used: 6_000_00, count: 1 })
  expect(await agent.refund(id, 1)).toMatchObject(exceeded('per_day'))
})

test('a new day in UTC, by the account’s clock, begins with nothing used', async () => {
  const agent = await limited({ operation: 'refund', per_day: 50_00 })
  const { id } = await shop.sold(200_00)
  expect(await agent.refund(id, 50_00)).toMatchObject({ status: 201 })
  expect(await agent.refund(id, 1)).toMatchObject(exceeded('per_day'))
  const before = await agent.today()
  expect(await shop.post('/sandbox/clock/advance', { by: 86_400 })).toMatchObject({ status: 200 })
  expect(await agent.today()).toMatchObject({ used: 0, remaining: 50_00 })
  expect((await agent.today()).day > before.day).toBe(true)
  expect(await agent.refund(id, 50_00)).toMatchObject({ status: 201 })
})

test('a limit that is changed or deleted holds at once, and what was used stays used', async () => {
  const agent = await limited({ operation: 'refund', per_day: 50_00 })
  const path = `/spending-limits/${agent.ids[0]}`
  const { id } = await shop.sold(200_00)
  expect(await agent.refund(id, 20_00)).toMatchObject({ status: 201 })
  expect(await shop.put(path, { per_day: 30_00, count_per_day: 5 })).toMatchObject({
    status: 200,
    body: { per_day: 30_00, count_per_day: 5, today: { used: 20_00, remaining: 10_00, remaining_count: 4 } },
  })
  expect(await agent.refund(id, 10_01)).toMatchObject(exceeded('per_day'))
  expect(await shop.put(path, { per_day: null, count_per_day: null })).toMatchObject({ status: 400 })
  expect(await shop.delete(path)).toMatchObject({ status: 204 })
  expect(await agent.refund(id, 100_00)).toMatchObject({ status: 201 })
  expect(await shop.get(path)).toMatchObject({ status: 404 })
})

test('a limit that replaces another one holds in a process that has not heard of it yet', async () => {
  const client = await railyard.client(account)
  const subject = { type: 'api-key-pair', id: client.keyId }
  const create = (limit: object) =>
    shop.post('/spending-limits', { subject, currency: 'EUR', per_day: 50_00, ...limit })
  const first = [await create({ operation: 'refund' }), await create({ operation: 'payout' })]
  const sale = await shop.sold(200_00)
  const refund = (amount: number) => client.post(`/transactions/${sale.id}/refunds`, { amount })
  expect(await refund(1_00)).toMatchObject({ status: 201 })

  // the process keeps its copies, as before the announcement of a change arrives
  const { cache } = railyard.world
  const copies = new Map<string, Promise<unknown>>()
  const get = cache.get
  cache.get = <T>(topic: Parameters<typeof get>[0], key: string, load: () => Promise<T>) => {
    if (topic !== 'spending_limits') return get(topic, key, load)
    const copy = copies.get(key) ?? get(topic, key, load)
    copies.set(key, copy)
    return copy as Promise<T>
  }
  onTestFinished(() => {
    cache.get = get
  })
  expect(await refund(1_00)).toMatchObject({ status: 201 })
  for (const { body } of first)
    expect(await shop.delete(`/spending-limits/${body.id}`)).toMatchObject({ status: 204 })
  const second = await create({ operation: 'refund', per_day: 10_00 })
  await create({ operation: 'payout', currency: 'USD' })

  expect(await refund(10_01)).toMatchObject(exceeded('per_day'))
  expect(await refund(9_00)).toMatchObject({ status: 201 })
  expect((await shop.get(`/spending-limits/${second.body.id}`)).body.today).toMatchObject({ used: 9_00 })
  expect(await client.post('/payouts', payoutOf(shop.paymentServiceId))).toMatchObject({
    status: 403,
    body: { code: 'spending_limit_exceeded' },
  })
})

test('nobody sets, changes or deletes their own limits, also not by a key pair that they have made', async () => {
  const agent = await limited({ operation: 'refund', per_day: 50_00 })
  const path = `/spending-limits/${agent.ids[0]}`
  const own = { type: 'api-key-pair', id: agent.keyId }
  const refused = { status: 403, body: { code: 'forbidden' } }
  expect(await agent.put(path, { per_day: 100_00 })).toMatchObject(refused)
  expect(await agent.delete(path)).toMatchObject(refused)
  const payouts = { subject: own, operation: 'payout', currency: 'EUR', per_day: 1 }
  expect(await agent.post('/spending-limits', payouts)).toMatchObject(refused)
  expect(await shop.get(path)).toMatchObject({ body: { per_day: 50_00 } })
})

test('a limit is of a key pair or a person that may act on the account, and there is one of an operation and currency', async () => {
  const agent = await limited({ operation: 'refund', per_day: 50_00 })
  const subject = { type: 'api-key-pair', id: agent.keyId }
  const limit = { subject, operation: 'refund', currency: 'EUR', per_day: 1 }
  expect(await shop.post('/spending-limits', limit)).toMatchObject({
    status: 409,
    body: { code: 'duplicate_record', resource_id: agent.ids[0] },
  })
  expect(await shop.post('/spending-limits', { ...limit, currency: 'XXZ' })).toMatchObject({ status: 400 })
  const { per_day: _, ...nothing } = limit
  expect(await shop.post('/spending-limits', { ...nothing, currency: 'GBP' })).toMatchObject({ status: 400 })
  const elsewhere = await railyard.merchant()
  const stranger = await railyard.client({
    account: elsewhere.account,
    merchantAccountIds: [elsewhere.account],
  })
  for (const id of [stranger.keyId, railyard.world.ids.next()])
    expect(
      await shop.post('/spending-limits', { ...limit, subject: { type: 'api-key-pair', id } }),
    ).toMatchObject({ status: 400, body: { details: [{ pointer: '/subject/id' }] } })
  expect(
    await shop.post('/spending-limits', { ...limit, subject: { type: 'user', id: agent.keyId } }),
  ).toMatchObject({ status: 400 })
  const admin = await railyard.admin.get(`/spending-limits?subject_id=${agent.keyId}`, header)
  expect(admin.body.items).toMatchObject([{ id: agent.ids[0], subject: { name: 'Test' } }])
  expect(
    (await railyard.admin.get('/spending-limits?operation=payout&limit=100', header)).body.items,
  ).not.toContainEqual(expect.objectContaining({ operation: 'refund' }))
})
