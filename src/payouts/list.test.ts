import { expect, test } from 'vitest'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const shop = await railyard.merchant()
/** Oldest first: 5 that succeed, and one of each other status. */
const payouts: Record<string, string>[] = []
for (const amount of [1, 2, 3, 530001, 530002, 530003, 4, 5]) {
  railyard.clock.advance(60_000)
  payouts.push(
    (
      await shop.post(
        '/payouts',
        payoutOf(shop.paymentServiceId, { amount, external_identifier: `win-${amount}` }),
      )
    ).body,
  )
}
const other = await railyard.merchant()
expect((await other.post('/payouts', payoutOf(other.paymentServiceId))).status).toBe(201)

const listIds = async (query: Record<string, string> | [string, string][] = {}) => {
  const { status, body } = await shop.get(`/payouts?${new URLSearchParams(query)}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body.items.map(({ id }: { id: string }) => id)
}
const ids = (...indexes: number[]) => indexes.map((index) => payouts.at(index)?.['id'])

test('payouts are listed with the most recently updated first, each as its own request shows it', async () => {
  expect(await listIds()).toEqual(payouts.map(({ id }) => id).reverse())
  const { body } = await shop.get('/payouts?limit=1')
  expect(body).toMatchObject({ limit: 1, previous_cursor: null, items: [payouts.at(-1)] })
})

test('the list has pages in both directions', async () => {
  const page = async (cursor?: string) =>
    (await shop.get(`/payouts?limit=3${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)).body
  const first = await page()
  const second = await page(first.next_cursor)
  const third = await page(second.next_cursor)
  expect([third.items.length, third.next_cursor]).toEqual([2, null])
  expect([...first.items, ...second.items, ...third.items]).toEqual(payouts.toReversed())
  expect((await page(third.previous_cursor)).items).toEqual(second.items)
  expect(await page(second.previous_cursor)).toMatchObject({ items: first.items, previous_cursor: null })
})

test('a cursor is valid for its list, its account and its filters only', async () => {
  const { next_cursor } = (await shop.get('/payouts?limit=3')).body
  expect(
    (await shop.get(`/payouts?limit=3&status=succeeded&cursor=${encodeURIComponent(next_cursor)}`)).status,
  ).toBe(400)
  expect((await shop.get(`/transactions?limit=3&cursor=${encodeURIComponent(next_cursor)}`)).status).toBe(400)
  expect((await shop.get('/payouts?cursor=nonsense')).status).toBe(400)
})

test('each filter selects the payouts that match it', async () => {
  const at = (index: number, field: string) => payouts.at(index)?.[field] ?? ''
  expect(await listIds({ status: 'declined' })).toEqual(ids(3))
  expect(await listIds({ status: 'failed' })).toEqual(ids(4))
  expect(
    await listIds([
      ['status', 'pending'],
      ['status', 'declined'],
    ]),
  ).toEqual(ids(5, 3))
  expect(await listIds({ external_identifier: 'win-3' })).toEqual(ids(2))
  expect(await listIds({ payment_service_payout_id: at(1, 'payment_service_payout_id') })).toEqual(ids(1))
  expect(await listIds({ created_at_gte: at(6, 'created_at') })).toEqual(ids(7, 6))
  expect(await listIds({ created_at_lte: at(1, 'created_at') })).toEqual(ids(1, 0))
  expect(await listIds({ updated_at_gte: at(6, 'updated_at') })).toEqual(ids(7, 6))
  expect(await listIds({ updated_at_lte: at(1, 'updated_at') })).toEqual(ids(1, 0))
  expect(
    await listIds({
      status: 'succeeded',
      created_at_gte: at(2, 'created_at'),
      created_at_lte: at(6, 'created_at'),
    }),
  ).toEqual(ids(6, 2))
  expect(await listIds({ external_identifier: 'nobody’s' })).toEqual([])
})

test('an unknown filter, status or time is refused', async () => {
  for (const query of ['amount=1', 'status=gone', 'created_at_gte=yesterday', 'limit=0', 'limit=101'])
    expect((await shop.get(`/payouts?${query}`)).status).toBe(422)
})

test('a payout that does not exist is a 404', async () => {
  expect((await shop.get(`/payouts/${crypto.randomUUID()}`)).status).toBe(404)
})
