import { expect, test } from 'vitest'
import { injectFaults } from '../../test/support/provider.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()

const DECLINED = 200012

async function summary(shop: Shop, range = 'P1D/hour_end') {
  const { status, body } = await shop.get(`/metrics-explorer/summary?datetime_range=${range}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}
const dispute = (shop: Shop, payment: string) =>
  railyard.admin.post(
    `/sandbox/transactions/${payment}/simulate`,
    { event: 'dispute_notified' },
    { 'x-svc-merchant-account-id': shop.account },
  )
const none = { count: 0, amount: 0 }

test('a period has payments, refunds and disputes by currency, of its account alone', async () => {
  const shop = await openShop(railyard)
  const other = await openShop(railyard)
  const sold = await shop.sold(30_00)
  await shop.sold(5_00, { currency: 'USD' })
  await shop.sold(10_00)
  await shop.pay(DECLINED)
  await sold.refund({ amount: 4_00 })
  await sold.refund({ amount: 6_00 })
  const disputed = await shop.sold(11_00)
  expect((await dispute(shop, disputed.id)).status).toBe(200)
  expect(await summary(shop)).toEqual({
    type: 'metrics-explorer.summary',
    from: expect.any(String),
    to: expect.any(String),
    currencies: [
      {
        currency: 'EUR',
        transactions: 4,
        authorized: 3,
        volume: 51_00,
        refunds: { count: 2, amount: 10_00 },
        disputes: { count: 1, amount: 11_00 },
      },
      { currency: 'USD', transactions: 1, authorized: 1, volume: 5_00, refunds: none, disputes: none },
    ],
  })
  expect((await summary(other)).currencies).toEqual([])
})

test('a refund counts if it has succeeded and was not taken back, and the return of a late approval does not', async () => {
  const shop = await openShop(railyard)
  const payment = await shop.sold(30_00)
  const refundedBy = async () => (await summary(shop)).currencies[0].refunds
  await injectFaults(railyard, { operation: 'refund', kind: 'decline', times: 1 })
  expect((await payment.refund({ amount: 1_00 })).body.status).toBe('declined')
  await injectFaults(railyard)
  const ids: string[] = []
  for (const amount of [2_00, 3_00, 4_00]) ids.push((await payment.refund({ amount })).body.id)
  expect(await refundedBy()).toEqual({ count: 3, amount: 9_00 })
  const change = (id: string | undefined, set: string) =>
    railyard.world.run(`update operations set ${set} where id = $1`, [id])
  await change(ids[0], `late_failure = '{"code": "failed"}'`)
  await change(ids[1], `input = input || '{"undoes": "${payment.id}"}'`)
  expect(await refundedBy()).toEqual({ count: 1, amount: 4_00 })
})

test('a refund and a dispute belong to the moment of their own creation', async () => {
  const shop = await openShop(railyard)
  const payment = await shop.sold(30_00)
  expect((await shop.post('/sandbox/clock/advance', { by: 'P3D' })).status).toBe(200)
  await payment.refund({ amount: 4_00 })
  expect((await dispute(shop, payment.id)).status).toBe(200)
  const of = { currency: 'EUR', refunds: { count: 1, amount: 4_00 }, disputes: { count: 1 } }
  expect((await summary(shop, 'P1D/hour_end')).currencies).toMatchObject([
    { ...of, transactions: 0, authorized: 0, volume: 0 },
  ])
  expect((await summary(shop, 'P4D/hour_end')).currencies).toMatchObject([{ ...of, volume: 30_00 }])
})

test('a period that cannot be read is refused', async () => {
  const shop = await openShop(railyard)
  for (const range of ['P1D', 'P11Y/now', 'yesterday'])
    expect(await shop.get(`/metrics-explorer/summary?datetime_range=${range}`)).toMatchObject({
      status: 400,
      body: { details: [{ location: 'query', pointer: 'datetime_range' }] },
    })
})
