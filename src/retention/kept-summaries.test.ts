import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cutNow,
  DAY_MS,
  findingsAfter,
  KEPT_MS,
  retire,
  seal,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import type { TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'

// A payment of one month is refunded in the next one. The first month is retired, then the second.

let railyard: TestRailyard
let shop: Shop
let neighbour: Shop
let range: string

beforeAll(async () => {
  railyard = await startOldRailyard()
  shop = await openShop(railyard)
  neighbour = await openShop(railyard)
  const payment = await shop.sold(100_00)
  const other = await shop.sold(50_00, { currency: 'USD' })
  await payment.refund({ amount: 1_00 })
  const ofNeighbour = await neighbour.sold(10_00)
  await cutNow(railyard)
  railyard.clock.advance(20 * DAY_MS)
  const begin = railyard.clock.now() - DAY_MS
  range = encodeURIComponent([begin, begin + 2 * DAY_MS].map((ms) => new Date(ms).toISOString()).join('/'))
  await payment.refund({ amount: 30_00 })
  await payment.refund({ amount: 5_00 })
  await other.refund({ amount: 7_00 })
  await ofNeighbour.refund({ amount: 3_00 })
  const kept = await shop.sold(60_00)
  await kept.refund({ amount: 2_00 })
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS - 20 * DAY_MS)
})
afterAll(() => railyard.close())

const summaryOf = async (account = shop.account) => {
  const client = await railyard.client({ account })
  const { status, body } = await client.get(`/metrics-explorer/summary?datetime_range=${range}`)
  expect(status).toBe(200)
  return body.currencies
}

test('the summary of a month has the same refunds after the month of their payments is retired', async () => {
  const before = await summaryOf()
  expect(before).toMatchObject([
    { currency: 'EUR', transactions: 1, volume: 60_00, refunds: { count: 3, amount: 37_00 } },
    { currency: 'USD', transactions: 0, volume: 0, refunds: { count: 1, amount: 7_00 } },
  ])
  expect(await retire(railyard)).toBe(5)
  expect(await summaryOf()).toEqual(before)
  expect(await summaryOf(neighbour.account)).toMatchObject([{ refunds: { count: 1, amount: 3_00 } }])
})

test('verify finds that the refunds of a retirement were changed', async () => {
  await seal(railyard)
  expect(await verifyFindings(railyard)).toEqual([])
  const change = `update retirements set counts = replace(counts::text, '"refunds":2', '"refunds":3')::json`
  expect(await findingsAfter(railyard, change)).toEqual(['retirement 1 is not what was sealed'])
})

test('once the month of the refunds is retired, its summary is empty', async () => {
  railyard.clock.advance(30 * DAY_MS)
  expect(await retire(railyard)).toBe(5)
  expect(await summaryOf()).toEqual([])
})
