import { expect, test } from 'vitest'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const DAY_MS = 86_400_000
const railyard = await startRailyardForFile()

test('simulated events happen at the account’s time', async () => {
  const shop = await openShop(railyard)
  expect((await shop.post('/sandbox/clock/advance', { by: 'P90D' })).status).toBe(200)
  const payment = await shop.sold(30_00)
  expect(await shop.post(`/sandbox/transactions/${payment.id}/simulate`, { event: 'settled' })).toMatchObject(
    { status: 200 },
  )
  const [settlement] = (await shop.get(`/transactions/${payment.id}/settlements`)).body.items
  expect((Date.parse(settlement.posted_at) - Date.now()) / DAY_MS).toBeCloseTo(90, 1)
})

test('concurrent settlements of a payment settle it once', async () => {
  const shop = await openShop(railyard)
  const payment = await shop.sold(30_00)
  await payment.refund({ amount: 5_00 })
  const settle = (event: string) => shop.post(`/sandbox/transactions/${payment.id}/simulate`, { event })
  const answers = await Promise.all(
    ['settled', 'settled', 'refund_settled', 'refund_settled', 'disputed', 'disputed', 'settled'].map(settle),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 400, 400, 400, 400])
  expect((await shop.get(`/transactions/${payment.id}/settlements`)).body.items).toHaveLength(1)
  await expectBooksMatch(railyard, shop.account)
})
