import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../crash/chance.ts'
import { card } from '../support/railyard.ts'
import { endings } from './check-ending.ts'
import { violations } from './invariants.ts'
import { snapshot } from './snapshot.ts'
import { type Merchant, openMerchant, openStage, type Stage } from './stage.ts'

let stage: Stage
let merchant: Merchant

beforeAll(async () => {
  stage = await openStage()
  merchant = await openMerchant(stage.railyard)
})
afterAll(async () => {
  await stage.close()
})

/** Every order of these notifications, each sent three times. */
const EVENTS = 6
const TIMES = 3
const ALL = 720
/** `LAB_ORDERS=720 npm test -- test/lab/notifications` tries all orders. */
const tried = Number(process.env['LAB_ORDERS'] ?? 12)
const SEED = 19

/** The `number`-th of all orders. */
function order(number: number): number[] {
  const left = Array.from({ length: EVENTS }, (_, index) => index)
  const taken: number[] = []
  for (let rest = number, size = EVENTS; size > 0; rest = Math.floor(rest / size), size--)
    taken.push(...left.splice(rest % size, 1))
  return taken
}

const numbers = tried >= ALL ? Array.from({ length: ALL }, (_, index) => index) : sample(tried)

function sample(count: number): number[] {
  const chance = seeded(SEED)
  const drawn = new Set<number>()
  while (drawn.size < count) drawn.add(chance.between(0, ALL - 1))
  return [...drawn]
}

test('the orders are all different', () => {
  expect(new Set(Array.from({ length: ALL }, (_, index) => order(index).join())).size).toBe(ALL)
})

async function tell(url: string, key: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ key }) })
  await answer.text()
  return answer.status
}

/** A sale and five pending refunds of it: six operations with notifications. */
async function sixOperations(): Promise<{ id: string; keys: string[] }> {
  const sale = {
    amount: 5 * 520_005,
    currency: 'EUR',
    country: 'DE',
    intent: 'capture',
    payment_method: card,
  }
  const { body } = await merchant.post('/transactions', sale)
  for (let count = 0; count < EVENTS - 1; count++) {
    const refund = await merchant.post(`/transactions/${body.id}/refunds`, { amount: 520_005 })
    expect(refund).toMatchObject({ status: 201, body: { status: 'processing' } })
  }
  const operations = await stage.railyard.world.run<{ id: string }>(
    'select id from operations where merchant_account_id = $1 and transaction_id = $2 order by id',
    [merchant.account, body.id],
  )
  return { id: body.id, keys: operations.map(({ id }) => id) }
}

/** The merchant's view of the payment and its events, without ids and times. */
async function finalState(id: string): Promise<unknown> {
  const { body } = await merchant.get(`/transactions/${id}`)
  const refunds = (await merchant.get(`/transactions/${id}/refunds`)).body.items
  const recorded = await stage.railyard.world.run<{ name: string; count: number }>(
    `select e.name, count(*)::int as count from events e join operations o on o.merchant_account_id = e.merchant_account_id and o.transaction_id = $2
        and (o.id = e.target_id or (e.target_id = o.transaction_id and o.kind = 'sale')) where e.merchant_account_id = $1 group by 1 order by 1`,
    [merchant.account, id],
  )
  return {
    status: body.status,
    captured: body.captured_amount,
    refunded: body.refunded_amount,
    refunds: refunds.map((refund: { status: string; amount: number }) => `${refund.status} ${refund.amount}`),
    recorded,
  }
}

test(`${tried} orders of six notifications, each thrice, among forged ones and other merchants': the same state in the end`, async () => {
  const states = new Map<string, number>()
  const stale = await sixOperations()
  for (const number of numbers) {
    const { id, keys } = await sixOperations()
    for (const index of order(number)) {
      const key = keys[index] ?? ''
      for (let count = 0; count < TIMES; count++) expect(await tell(merchant.cardWebhook, key)).toBe(200)
      // forged: for or by another merchant, of an unknown operation, outdated
      expect(await tell(`${merchant.cardWebhook}x`, key)).toBe(404)
      expect(await tell(merchant.cardWebhook, stage.stranger.operation)).toBe(200)
      expect(await tell(stage.stranger.cardWebhook, key)).toBe(200)
      expect(await tell(merchant.cardWebhook, crypto.randomUUID())).toBe(200)
      expect(await tell(merchant.cardWebhook, stale.keys[index] ?? '')).toBe(200)
    }
    const state = JSON.stringify(await finalState(id))
    states.set(state, (states.get(state) ?? 0) + 1)
  }
  expect([...states.keys()]).toHaveLength(1)
  expect([...states.keys()][0]).toContain(`"refunded":${5 * 520_005}`)
  const now = await snapshot(stage, merchant)
  expect(violations(now, new Map())).toEqual([])
  expect(
    Object.entries(endings.books).flatMap(([name, check]) => check(now).map((found) => `${name}: ${found}`)),
  ).toEqual([])
}, 900_000)
