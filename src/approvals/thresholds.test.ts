import { expect, onTestFinished, test } from 'vitest'
import { addPolicy, approverFor, decides, proposed } from '../../test/support/domains/approvals.ts'
import { addGiftCardService, newGiftCard } from '../../test/support/domains/gift-cards.ts'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import type { Answer } from '../../test/support/railyard.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()
await addGiftCardService(railyard, shop)
const people = await Promise.all([approverFor(railyard, shop), approverFor(railyard, shop)])
await addPolicy(railyard, shop, {
  operations: ['refund', 'capture'],
  thresholds: [
    { currency: 'EUR', amount: 10_00 },
    { currency: 'USD', amount: 5_300_00 },
  ],
})

const refundsOf = (id: string) => `/transactions/${id}/refunds`
const many = <T>(length: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length }, (_, index) => work(index)))
const count = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length
const refused = { status: 403, body: { code: 'approval_required' } }

test('of forty refunds of 1.00 at once, no more than the threshold are made', async () => {
  const payment = await shop.sold(100_00)
  const answers = await many(40, () => payment.refund({ amount: 1_00 }))
  expect({ made: count(answers, 201), refused: count(answers, 403) }).toEqual({ made: 10, refused: 30 })
  expect(answers.find(({ status }) => status === 403)).toMatchObject(refused)
  await recoverFully(railyard)
  expect(await payment.read()).toMatchObject({ refunded_amount: 10_00 })
})

test('two refunds at once that pass the threshold together are one', async () => {
  await injectFaults(railyard, { operation: 'refund', kind: 'delay', delay_ms: 50, times: 20 })
  for (let round = 0; round < 10; round++) {
    const payment = await shop.sold(100_00)
    const answers = await Promise.all([payment.refund({ amount: 6_00 }), payment.refund({ amount: 7_00 })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403])
  }
})

test('a refund that was declined does not count', async () => {
  const payment = await shop.sold(9_000_00, { currency: 'USD' })
  // the payment service declines this amount
  expect((await payment.refund({ amount: 5_200_02 })).status).toBe(201)
  await recoverFully(railyard)
  expect((await payment.refund({ amount: 5_300_00 })).status).toBe(201)
  expect(await payment.refund({ amount: 1 })).toMatchObject(refused)
})

test('what was refunded to gift cards counts, too', async () => {
  const card = newGiftCard('09000')
  const { body } = await shop.pay(90_00, { intent: 'capture', gift_cards: [{ ...card, amount: 40_00 }] })
  const [redemption] = body.gift_card_redemptions
  const toCard = (amount: number) =>
    shop.post(refundsOf(body.id), { amount, target_type: 'gift-card-redemption', target_id: redemption.id })
  expect((await toCard(6_00)).status).toBe(201)
  expect(await toCard(4_01)).toMatchObject(refused)
  expect(await shop.post(refundsOf(body.id), { amount: 4_01 })).toMatchObject(refused)
  const answers = await many(8, (index) =>
    index % 2 ? toCard(1_00) : shop.post(refundsOf(body.id), { amount: 1_00 }),
  )
  await recoverFully(railyard)
  const after = (await shop.get(`/transactions/${body.id}`)).body
  expect(after.refunded_amount + after.gift_card_redemptions[0].refunded_amount).toBeLessThanOrEqual(10_00)
  expect(count(answers, 201)).toBeLessThanOrEqual(4)
})

test('everything is what was paid, by the payment method and gift cards', async () => {
  const card = newGiftCard('09000')
  const pay = (amount: number) =>
    shop.pay(amount, { intent: 'capture', gift_cards: [{ ...card, amount: 6_00 }] })
  const [small, large] = [(await pay(10_00)).body, (await pay(10_01)).body]
  expect(await shop.post(`${refundsOf(large.id)}/all`)).toMatchObject(refused)
  expect((await shop.post(`${refundsOf(small.id)}/all`)).status).toBe(201)
})

test('a payment cannot be captured in parts that need no approval', async () => {
  const { id } = await shop.authorized(90_00)
  const capture = (amount: number) => shop.post(`/transactions/${id}/capture`, { amount, final: false })
  expect((await capture(6_00)).status).toBe(200)
  expect(await capture(4_01)).toMatchObject(refused)
  expect((await capture(4_00)).status).toBe(200)
})

test('of two proposals for the same payment that are approved at once, one is executed and the other is stale', async () => {
  for (let round = 0; round < 5; round++) {
    const payment = await shop.sold(100_00)
    const proposals = await many(2, () => proposed(shop, 'POST', refundsOf(payment.id), { amount: 20_00 }))
    const decided = await Promise.all(
      proposals.map((proposal, index) => decides(people[index] ?? people[0], shop, proposal)),
    )
    expect(decided.map(({ body }) => body.status).sort()).toEqual(['executed', 'stale'])
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject({ refunded_amount: 20_00 })
  }
})

test('an approved capture without an amount takes no more than what was approved, whenever an increment comes', async () => {
  const { world } = railyard
  const { run } = world
  onTestFinished(() => {
    world.run = run
  })
  let statements = 0
  let isIncremented = true
  let at = 1
  for (; isIncremented; at++) {
    const payment = await shop.authorized(90_00)
    const proposal = await proposed(shop, 'POST', `/transactions/${payment.id}/capture`, {})
    isIncremented = false
    statements = 0
    world.run = async (text, values) => {
      const rows = await run<never>(text, values)
      // once the capture is intended, an increment comes too early
      if (values.includes(payment.id) && ++statements === at)
        isIncremented = (await payment.increment(50_00)).status === 200
      return rows
    }
    const { body } = await decides(people[0], shop, proposal)
    world.run = run
    const { captured_amount } = await payment.read()
    expect({ at, status: body.status, captured_amount }).toEqual(
      body.status === 'executed'
        ? { at, status: 'executed', captured_amount: 90_00 }
        : { at, status: 'stale', captured_amount: 0 },
    )
  }
  expect(at).toBeGreaterThan(3)
})
