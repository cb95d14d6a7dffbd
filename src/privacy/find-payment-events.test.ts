import { expect, test } from 'vitest'
import { startShop } from '../../test/support/start-shop.ts'
import { findPaymentEvents, spansAround } from './find-payment-events.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const eventsOf = (ids: readonly string[]) =>
  railyard.world.db
    .selectFrom('events')
    .select(['id', 'target_id', 'created_at'])
    .where('target_id', 'in', ids)
    .orderBy('position')
    .execute()

/** A payment between others of the same account, with a refund an hour later. */
async function paymentAmongOthers() {
  await shop.sold(10_00)
  const payment = await shop.sold(10_00)
  await shop.sold(10_00)
  railyard.clock.advance(3_600_000)
  await shop.sold(10_00)
  await payment.refund({ amount: 1_00 })
  await shop.sold(10_00)
  const resources = await railyard.world.run<{ id: string; event_count: number }>(
    `select id, event_count from transactions where id = $1 union all select id, event_count from operations where transaction_id = $1`,
    [payment.id],
  )
  const events = await eventsOf(resources.map(({ id }) => id))
  return { resources, events }
}

const found = async (resources: Parameters<typeof findPaymentEvents>[2], times: readonly number[]) =>
  (await findPaymentEvents(railyard.world, shop.account, resources, times)).map(({ id }) => id).toSorted()

test('the events of a payment and its refund are found around the times of its changes', async () => {
  const { resources, events } = await paymentAmongOthers()
  expect(events.length).toBeGreaterThan(1)
  const times = events.map(({ created_at }) => Date.parse(created_at))
  expect(await found(resources, times)).toEqual(events.map(({ id }) => id).toSorted())
})

test('the events of a payment are found where no time of a change is near them', async () => {
  const { resources, events } = await paymentAmongOthers()
  expect(await found(resources, [railyard.clock.now() + 90 * 86_400_000])).toEqual(
    events.map(({ id }) => id).toSorted(),
  )
})

test('the events of a payment are found where a process with a wrong clock has dated one', async () => {
  const { resources, events } = await paymentAmongOthers()
  const [first] = events
  await railyard.world.db
    .updateTable('events')
    .set({ created_at: '2001-01-01T00:00:00Z' })
    .where('id', '=', first?.id ?? '')
    .execute()
  const times = events.map(({ created_at }) => Date.parse(created_at))
  expect(await found(resources, times)).toEqual(events.map(({ id }) => id).toSorted())
})

test('spans that overlap are read once', () => {
  expect(spansAround([100, 5_000, 101, 120], 10)).toEqual([
    { from: 90, to: 130 },
    { from: 4_990, to: 5_010 },
  ])
})
