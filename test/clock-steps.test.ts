import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sendLink } from './support/domains/payment-links.ts'
import { transactionsReport } from './support/domains/reports.ts'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from './support/provider.ts'
import type { Client, TestRailyard } from './support/railyard.ts'
import { type Receiver, startReceiver, subscribe } from './support/receiver.ts'
import { openShop } from './support/shop.ts'
import { startRailyardForFile } from './support/start-railyard.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const railyard = await startRailyardForFile({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })

/** The steps of a machine's clock: an hour either way, a month, a second back. */
const steps = fc.constantFrom(HOUR_MS, -HOUR_MS, 30 * DAY_MS, -30 * DAY_MS, -1_000, 10 * MINUTE_MS)
const acts = fc.constantFrom('pay', 'repeat', 'lose', 'report', 'capture', 'look')

test('jumps of the machine’s clock neither repeat nor lose work, and lists are complete', async () => {
  const receiver = await startReceiver()
  const started = railyard.clock.now()
  try {
    await fc.assert(
      fc
        .asyncProperty(fc.array(fc.tuple(steps, acts), { minLength: 4, maxLength: 10 }), (timeline) =>
          live(timeline, receiver),
        )
        // bearers do not outlive several stories' years
        .afterEach(() => railyard.clock.advance(started - railyard.clock.now())),
      { seed: 7, numRuns: 8 },
    )
  } finally {
    await receiver.close()
  }
})

async function live(timeline: [number, string][], receiver: Receiver): Promise<void> {
  const shop = await openShop(railyard)
  await subscribe(railyard, shop.account, receiver)
  const before = receiver.received.length
  const paid: string[] = []
  // a bearer of the time before it was signed is refused
  const earliest = railyard.clock.now()
  railyard.clock.advance(DAY_MS)
  let furthest = railyard.clock.now()
  const pay = async (key: string): Promise<string> => {
    const { status, body } = await shop.pay(12_99, {}, { 'idempotency-key': key })
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.id
  }
  for (const [index, [step, act]] of timeline.entries()) {
    railyard.clock.advance(Math.max(step, earliest - railyard.clock.now()))
    furthest = Math.max(furthest, railyard.clock.now())
    if (act === 'pay') paid.push(await pay(`payment-${index}`))
    if (act === 'repeat') expect(await pay(`repeated-${index}`)).toBe(await pay(`repeated-${index}`))
    if (act === 'capture') for (const id of paid.slice(-1)) await shop.payment(id).capture()
    if (act === 'report')
      expect(await shop.post('/reports', transactionsReport())).toMatchObject({ status: 201 })
    if (act === 'lose') {
      await injectFaults(railyard, {
        payment_service_id: shop.paymentServiceId,
        operation: 'authorize',
        kind: 'lost',
        times: 1,
      })
      paid.push(await pay(`lost-${index}`))
    }
    await rounds(railyard)
  }
  // jobs wait until the latest time that the clock has shown
  railyard.clock.advance(furthest + 8 * DAY_MS - railyard.clock.now())
  await recoverFully(railyard)
  await rounds(railyard)
  await expectBooksMatch(railyard, shop.account)
  const operations = (await booksOf(railyard)).operations.filter(
    ({ payment_service_id }) => payment_service_id === shop.paymentServiceId,
  )
  expect(new Set(operations.map(({ key }) => key)).size).toBe(operations.length)
  const listed = await everyPage(shop, '/transactions')
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed).toEqual(expect.arrayContaining(paid))
  for (const report of await everyPage(shop, '/reports'))
    expect((await shop.get(`/reports/${report}/executions`)).body.items).toHaveLength(1)
  const delivered: string[] = receiver.received.slice(before).map(({ event }) => event.id)
  expect(new Set(delivered).size).toBe(delivered.length)
  const events = await railyard.world.db
    .selectFrom('events')
    .select('id')
    .where('merchant_account_id', '=', shop.account)
    .execute()
  expect(delivered.toSorted()).toEqual(events.map(({ id }) => id).toSorted())
}

test('a clock that jumps back and forth expires nothing early', async () => {
  const shop = await openShop(railyard)
  const link = await sendLink(railyard, shop, {
    expires_at: new Date(railyard.clock.now() + 3 * HOUR_MS).toISOString(),
  })
  const { body: session } = await shop.post('/checkout/sessions', { amount: 12_99, currency: 'EUR' })
  for (const step of [HOUR_MS / 2, -HOUR_MS, HOUR_MS, -2 * HOUR_MS, 2 * HOUR_MS]) {
    railyard.clock.advance(step)
    await rounds(railyard)
    expect(await link.read()).toMatchObject({ status: 'active' })
    expect((await shop.get(`/checkout/sessions/${session.id}`)).status).toBe(200)
  }
  railyard.clock.advance(3 * HOUR_MS)
  await rounds(railyard)
  expect(await link.read()).toMatchObject({ status: 'expired' })
})

async function rounds({ recovery, paymentLinks, reports, monitoring, sender }: TestRailyard): Promise<void> {
  for (const job of [recovery, paymentLinks, reports, monitoring]) await job.runOnce()
  await sender.runOnce()
}

/** The ids of a list, page by page. */
async function everyPage(shop: Client, path: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await shop.get(
      `${path}?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    expect({ status, body }).toMatchObject({ status: 200 })
    ids.push(...body.items.map(({ id }: { id: string }) => id))
    if (body.next_cursor === null) return ids
    cursor = body.next_cursor
  }
}
