import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import type { Answer, Client } from '../../test/support/railyard.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop()

async function agentWith(...limits: object[]): Promise<Client & { keyId: string; ids: string[] }> {
  const agent = await railyard.client({ account: shop.account, merchantAccountIds: [shop.account] })
  const ids: string[] = []
  for (const limit of limits) {
    const subject = { type: 'api-key-pair', id: agent.keyId }
    const { body } = await shop.post('/spending-limits', { subject, currency: 'EUR', ...limit })
    ids.push(body.id)
  }
  return { ...agent, ids }
}

const usedToday = async (id: string | undefined) => (await shop.get(`/spending-limits/${id}`)).body.today
const count = (answers: Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length
const codes = (answers: Answer[]) =>
  [...new Set(answers.filter(({ status }) => status >= 300).map(({ body }) => body.code))].sort()
/** As a client does: a request that a busy service has refused before it did anything is sent again. */
async function untilTaken(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send()
  for (let tries = 1; answer.status === 503 && tries < 5; tries++) answer = await send()
  return answer
}
const deadlocks = async (): Promise<number> => {
  const [row] = await railyard.world.run<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
    [],
  )
  return row?.deadlocks ?? 0
}
const many = <T>(length: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length }, (_, index) => work(index)))

describe('operations at once never exceed a limit', () => {
  test('of 300 refunds of 1.00 on 10 payments exactly those that fit into 50.00 a day are made', async () => {
    const agent = await agentWith({ operation: 'refund', per_day: 50_00 })
    const payments = await many(10, () => shop.sold(100_00))
    // on a busy machine the outcome of one may still be unknown
    await recoverFully(railyard)
    const answers = await many(300, (index) =>
      agent.post(`/transactions/${payments[index % 10]?.id}/refunds`, { amount: 1_00 }),
    )
    expect(codes(answers)).toEqual(['spending_limit_exceeded'])
    // more than 50 only where one did not reach the payment service
    expect(count(answers, 201)).toBeGreaterThanOrEqual(50)
    await recoverFully(railyard)
    const refunded = await Promise.all(
      payments.map(async (payment) => (await payment.read()).refunded_amount),
    )
    const sum = refunded.reduce((total, amount) => total + amount, 0)
    expect(sum).toBeLessThanOrEqual(50_00)
    expect(await usedToday(agent.ids[0])).toMatchObject({ used: sum, count: sum / 1_00 })
  })

  test('a limit for each buyer holds beside the others, on any number of payments', async () => {
    const agent = await agentWith({ operation: 'refund', per_buyer_per_day: 10_00, count_per_day: 25 })
    const buyers = await many(4, async () => (await shop.post('/buyers', {})).body.id)
    const payments = await many(8, (index) => shop.sold(100_00, { buyer_id: buyers[index % 4] }))
    await recoverFully(railyard)
    const answers = await many(200, (index) =>
      agent.post(`/transactions/${payments[index % 8]?.id}/refunds`, { amount: 1_00 }),
    )
    expect(count(answers, 201)).toBeGreaterThanOrEqual(25)
    await recoverFully(railyard)
    expect((await usedToday(agent.ids[0])).count).toBeLessThanOrEqual(25)
    const refunded = await Promise.all(
      payments.map(async (payment) => (await payment.read()).refunded_amount),
    )
    for (const index of [0, 1, 2, 3])
      expect((refunded[index] ?? 0) + (refunded[index + 4] ?? 0)).toBeLessThanOrEqual(10_00)
  })

  test('of 100 payouts exactly as many are made as the number of a day allows', async () => {
    const agent = await agentWith({ operation: 'payout', count_per_day: 7 })
    const answers = await many(100, () => agent.post('/payouts', payoutOf(shop.paymentServiceId)))
    expect(count(answers, 201)).toBe(7)
    expect(codes(answers)).toEqual(['spending_limit_exceeded'])
    expect((await agent.get('/payouts?limit=100')).body.items).toHaveLength(7)
  })

  test('captures, voids and refunds of two callers on the same payments end in no deadlock', async () => {
    const agent = await agentWith(
      { operation: 'refund', per_day: 30_00 },
      { operation: 'capture', per_day: 40_00 },
      { operation: 'void', count_per_day: 2 },
    )
    const payments = await many(12, () => shop.authorized(10_00))
    await recoverFully(railyard)
    const answers = await many(240, (index) => {
      const client = index % 3 === 0 ? shop : agent
      const at = `/transactions/${payments[index % 12]?.id}`
      const kind = Math.floor(index / 12) % 4
      return untilTaken(() =>
        kind === 3
          ? client.post(`${at}/void`)
          : kind === 2
            ? client.post(`${at}/refunds`, { amount: 1_00 })
            : client.post(`${at}/capture`, { amount: 2_00, final: false }),
      )
    })
    expect(await deadlocks()).toBe(0)
    expect(answers.filter(({ status }) => ![200, 201, 400, 403, 425].includes(status))).toEqual([])
    const [refunds, captures, voids] = await Promise.all(agent.ids.map(usedToday))
    expect(refunds.used).toBeLessThanOrEqual(30_00)
    expect(captures.used).toBeLessThanOrEqual(40_00)
    expect(voids.count).toBeLessThanOrEqual(2)
  })
})

test('operations whose answers are lost keep what they have reserved until their outcome is known', async () => {
  const agent = await agentWith({ operation: 'refund', per_day: 10_00 })
  const payment = await shop.sold(100_00)
  const refund = (amount: number) => agent.post(`/transactions/${payment.id}/refunds`, { amount })
  await injectFaults(railyard, { operation: 'refund', kind: 'lost', times: 1 })
  expect(await refund(6_00)).toMatchObject({ status: 201, body: { status: 'processing' } })
  expect(await refund(5_00)).toMatchObject({ status: 403, body: { code: 'spending_limit_exceeded' } })
  await recoverFully(railyard)
  expect(await usedToday(agent.ids[0])).toMatchObject({ used: 6_00, count: 1 })
  expect(await refund(4_00)).toMatchObject({ status: 201, body: { status: 'succeeded' } })
  expect(await refund(1)).toMatchObject({ status: 403 })
})

const faults = ['lost', 'error', 'reset', 'outage', 'duplicate'] as const

const step = fc.record({
  amount: fc.constantFrom(1_00, 2_50, 4_00, 520002, 520005),
  payment: fc.nat({ max: 3 }),
  fault: fc.option(fc.constantFrom(...faults), { freq: 3 }),
  concurrent: fc.nat({ max: 3 }),
})
const limits = fc.record({
  per_operation: fc.option(fc.constantFrom(2_50, 6_000_00)),
  per_day: fc.option(fc.constantFrom(10_00, 6_000_00)),
  per_buyer_per_day: fc.option(fc.constantFrom(5_00, 5_300_00)),
  count_per_day: fc.constantFrom(2, 5, null, 1_000),
})

test('any refunds, with any faults at the payment service, stay within any limits, and count as their outcomes say', async () => {
  const buyers = await many(2, async () => (await shop.post('/buyers', {})).body.id)
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { minLength: 1, maxLength: 8 }), async (limit, steps) => {
      fc.pre(Object.values(limit).some((value) => value !== null))
      const agent = await agentWith({ operation: 'refund', ...limit })
      const payments = await many(4, (index) => shop.sold(9_999_00, { buyer_id: buyers[index % 2] }))
      await recoverFully(railyard)
      for (const { amount, payment, fault, concurrent } of steps) {
        if (fault) await injectFaults(railyard, { operation: 'refund', kind: fault, times: 1 })
        const answers = await many(concurrent + 1, () =>
          agent.post(`/transactions/${payments[payment]?.id}/refunds`, { amount }),
        )
        expect(answers.filter(({ status }) => ![201, 400, 403].includes(status))).toEqual([])
      }
      await recoverFully(railyard)
      const refunds = (await Promise.all(payments.map((payment) => payment.refunds()))).flatMap(
        (list, index) =>
          list
            .filter(({ status }) => status === 'succeeded' || status === 'processing')
            .map(({ amount }) => ({ amount, buyer: index % 2 })),
      )
      const sum = (list: { amount: number }[]) => list.reduce((total, { amount }) => total + amount, 0)
      expect(await usedToday(agent.ids[0])).toMatchObject({ used: sum(refunds), count: refunds.length })
      for (const { amount } of refunds) expect(amount).toBeLessThanOrEqual(limit.per_operation ?? Infinity)
      expect(sum(refunds)).toBeLessThanOrEqual(limit.per_day ?? Infinity)
      for (const each of [0, 1])
        expect(sum(refunds.filter(({ buyer }) => buyer === each))).toBeLessThanOrEqual(
          limit.per_buyer_per_day ?? Infinity,
        )
      expect(refunds.length).toBeLessThanOrEqual(limit.count_per_day ?? Infinity)
    }),
    { numRuns: 15 },
  )
})
