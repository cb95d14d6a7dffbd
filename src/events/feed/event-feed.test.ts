import { describe, expect, test } from 'vitest'
import { beforeStatement } from '../../../test/before-statement.ts'
import { openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { waitUntilReadable } from '../../database/logs/event-log.ts'
import type { Event } from '../event.schema.ts'

const railyard = await startRailyardForFile({ INSTANCE_ID: 'shop-eu' })

async function read(shop: Shop, query = ''): Promise<{ items: Event[]; limit: number; next_cursor: string }> {
  await waitUntilReadable(railyard.world)
  return (await shop.get(`/events${query}`)).body
}

/** Every event after the cursor, read in pages of `limit`. */
async function readAll(shop: Shop, limit: number, after?: string): Promise<Event[]> {
  const all: Event[] = []
  for (
    let page = await read(shop, `?limit=${limit}${after ? `&after=${after}` : ''}`);
    page.items.length > 0;
    page = await read(shop, `?limit=${limit}&after=${page.next_cursor}`)
  )
    all.push(...page.items)
  return all
}

/**
 * Reads a page, and commits a sale before the n-th statement about events that the request makes, or after
 * the last of them.
 */
async function payBefore(
  statement: number,
  shop: Shop,
  path: string,
): Promise<{ items: Event[]; next_cursor: string }> {
  const pay = async () => {
    await shop.sold(7_00)
    await waitUntilReadable(railyard.world)
  }
  return (await beforeStatement(railyard.world, statement, pay, () => shop.get(path))).body
}

const numbersOf = (events: Event[]) => Map.groupBy(events, ({ target }) => target.id)

describe('the event feed', () => {
  test('the feed shows the events of a payment in order, numbered by resource', async () => {
    const shop = await openShop(railyard)
    const payment = await shop.authorized(12_00)
    await payment.capture()
    const refund = (await payment.refund({ amount: 2_00 })).body
    const { items } = await read(shop)
    expect(items.map(({ name, sequence, target }) => [name, sequence, target.type])).toEqual([
      ['transaction.authorized', 1, 'transaction'],
      ['capture.succeeded', 1, 'capture'],
      ['transaction.captured', 2, 'transaction'],
      ['refund.succeeded', 1, 'refund'],
    ])
    expect(items[0]).toMatchObject({
      type: 'event',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      merchant_account_id: shop.account,
      svc_id: 'shop-eu',
      environment: 'sandbox',
      target: {
        type: 'transaction',
        id: payment.id,
        status: 'authorization_succeeded',
        amount: 12_00,
        payment_method: { method: 'card' },
      },
    })
    expect(items[3]?.target).toMatchObject({
      type: 'refund',
      id: refund.id,
      transaction_id: payment.id,
      amount: 2_00,
    })
  })

  test('the feed shows captures and refunds as the API does, those of sales, too', async () => {
    const shop = await openShop(railyard)
    const sale = await shop.sold(9_00)
    const refund = (await sale.refund({ amount: 4_00, external_identifier: 'back-1' })).body
    const [capture] = await sale.captures()
    const authorized = await shop.authorized(25_00)
    await authorized.capture({ amount: 25_00 })
    const { items } = await read(shop)
    const operations = items.filter(({ target }) => target.type === 'capture' || target.type === 'refund')
    const members = [
      'type',
      'id',
      'transaction_id',
      'currency',
      'amount',
      'status',
      'error_code',
      'external_identifier',
    ]
    const pick = (resource: Record<string, unknown>) =>
      Object.fromEntries(members.map((member) => [member, resource[member] ?? null]))
    expect(operations.map(({ name, target }) => [name, pick({ ...target })])).toEqual([
      ['capture.succeeded', pick(capture)],
      ['refund.succeeded', pick(refund)],
      ['capture.succeeded', pick((await authorized.captures())[0])],
    ])
    expect(items.map(({ target }) => target.type)).not.toContain('sale')
  })

  test('the feed numbers the events of a buyer from its creation to its deletion', async () => {
    const shop = await openShop(railyard)
    const { id } = (await shop.post('/buyers', { display_name: 'Ada' })).body
    await shop.put(`/buyers/${id}`, { display_name: 'Ada L.' })
    await shop.delete(`/buyers/${id}`)
    const { items } = await read(shop)
    expect(items.map(({ name, sequence }) => [name, sequence])).toEqual([
      ['buyer.created', 1],
      ['buyer.updated', 2],
      ['buyer.deleted', 3],
    ])
  })

  test('the event of a correction shows the whole transaction, as every other event does', async () => {
    const shop = await openShop(railyard)
    const payment = await shop.authorized(12_00)
    await payment.correct({ metadata: { order: '7' } })
    const { items } = await read(shop)
    expect(items.at(-1)).toMatchObject({
      name: 'transaction.modified',
      sequence: 2,
      target: { metadata: { order: '7' }, currency: 'EUR' },
    })
  })

  test('the feed continues after its cursor with any page size, and shows no event twice', async () => {
    const shop = await openShop(railyard)
    for (let amount = 1; amount <= 5; amount++) await shop.sold(amount * 100)
    const whole = await readAll(shop, 1000)
    expect(whole).toHaveLength(10)
    for (const limit of [1, 3, 10]) expect(await readAll(shop, limit)).toEqual(whole)
    const end = await read(shop, '?limit=100')
    const nothingYet = await read(shop, `?after=${end.next_cursor}`)
    expect(nothingYet.items).toEqual([])
    const later = await shop.sold(9_00)
    const more = await read(shop, `?after=${nothingYet.next_cursor}`)
    expect(more.items.map(({ target }) => target.id)).toContain(later.id)
    expect(more.items).toHaveLength(2)
  })

  test('`after=now` begins with the next event', async () => {
    const shop = await openShop(railyard)
    await shop.sold(1_00)
    const { items, next_cursor } = await read(shop, '?after=now')
    expect(items).toEqual([])
    const payment = await shop.authorized(2_00)
    expect((await read(shop, `?after=${next_cursor}`)).items.map(({ target }) => target.id)).toEqual([
      payment.id,
    ])
  })

  test('the feed of an account without events is empty and has a cursor', async () => {
    const shop = await openShop(railyard)
    const { items, next_cursor } = await read(shop)
    expect(items).toEqual([])
    await shop.authorized(1_00)
    expect((await read(shop, `?after=${next_cursor}`)).items).toHaveLength(1)
  })

  test('a reader that begins while the account’s first payment is committed sees its events, whichever statement the commit precedes', async () => {
    for (let statement = 1; statement <= 4; statement++) {
      const shop = await openShop(railyard)
      const { items, next_cursor } = await payBefore(statement, shop, '/events')
      const seen = [...items, ...(await readAll(shop, 100, next_cursor))]
      expect({ statement, seen: seen.map(({ name }) => name) }).toEqual({
        statement,
        seen: ['capture.succeeded', 'transaction.captured'],
      })
    }
  })

  test('a reader that begins with `now` sees what is committed after its request’s first statement', async () => {
    for (let statement = 2; statement <= 4; statement++) {
      const shop = await openShop(railyard)
      const { next_cursor } = await payBefore(statement, shop, '/events?after=now')
      const seen = await readAll(shop, 100, next_cursor)
      expect({ statement, seen: seen.map(({ name }) => name) }).toEqual({
        statement,
        seen: ['capture.succeeded', 'transaction.captured'],
      })
    }
  })

  test('readers that begin at any time beside writers see every event once, in the log’s order', async () => {
    const shop = await openShop(railyard)
    let isWriting = true
    const readFromStart = async () => {
      const seen: Event[] = []
      let after = ''
      for (let isLast = false; ; ) {
        const { items, next_cursor } = (await shop.get(`/events?limit=5${after}`)).body
        seen.push(...items)
        after = `&after=${next_cursor}`
        if (items.length > 0) continue
        if (isLast) return seen
        isLast = !isWriting
        if (isLast) await waitUntilReadable(railyard.world)
      }
    }
    const readers = Array.from({ length: 4 }, readFromStart)
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const payment = await shop.authorized(10_00 + index)
        readers.push(readFromStart())
        await payment.capture({ amount: 4_00 })
        readers.push(readFromStart())
        await payment.refund({ amount: 1_00 })
      }),
    )
    isWriting = false
    const whole = await readAll(shop, 1000)
    expect(whole).toHaveLength(8 * 4)
    for (const seen of await Promise.all(readers)) expect(seen).toEqual(whole)
  })

  test('a reader whose last event is lost gets a cursor to the beginning of the log if no mark is older', async () => {
    const { run } = railyard.world
    await run('delete from event_log_marks', [])
    const shop = await openShop(railyard)
    const payment = await shop.authorized(1_00)
    const firstPage = await read(shop)
    await shop.authorized(2_00)
    const { next_cursor } = await read(shop, `?after=${firstPage.next_cursor}`)
    await railyard.logMarks.runOnce()
    await run(
      'delete from events where position = (select max(position) from events where merchant_account_id = $1)',
      [shop.account],
    )
    const { status, body } = await shop.get(`/events?after=${next_cursor}`)
    expect({ status, body }).toMatchObject({ status: 410, body: { code: 'gone', status: 410 } })
    expect((await readAll(shop, 100, body.next_cursor)).map(({ target }) => target.id)).toEqual([payment.id])
    expect((await read(shop, `?after=${firstPage.next_cursor}`)).items).toEqual([])
  })

  test('the feed refuses another account’s cursor, a forged cursor and invalid limits', async () => {
    const [shop, other] = [await openShop(railyard), await openShop(railyard)]
    const { next_cursor } = await read(other)
    expect(await shop.get(`/events?after=${next_cursor}`)).toMatchObject({ status: 400 })
    expect(await shop.get('/events?after=tomorrow')).toMatchObject({ status: 400 })
    for (const limit of ['0', '1001', 'all'])
      expect((await shop.get(`/events?limit=${limit}`)).status).toBe(422)
  })

  test('reading the feed needs the scope webhook-subscriptions.read', async () => {
    const client = await railyard.client({ account: 'default', scopes: ['transactions.read'] })
    expect((await client.get('/events')).status).toBe(403)
  })

  test('a reader beside many writers misses nothing, and sees each resource in order', async () => {
    const shop = await openShop(railyard)
    let writing = true
    const seen: Event[] = []
    // before the first write
    let { next_cursor } = await read(shop, '?after=now')
    const reader = (async () => {
      for (let idle = 0; writing || idle < 2; ) {
        const wasWriting = writing
        const page = wasWriting
          ? (await shop.get(`/events?limit=7&after=${next_cursor}`)).body
          : await read(shop, `?limit=7&after=${next_cursor}`)
        seen.push(...page.items)
        next_cursor = page.next_cursor
        idle = wasWriting || page.items.length > 0 ? 0 : idle + 1
      }
    })()
    const lives = Array.from({ length: 12 }, async (_, index) => {
      const payment = await shop.authorized(10_00 + index)
      await payment.capture({ amount: 4_00 })
      await Promise.all([
        payment.refund({ amount: 1_00 }),
        payment.refund({ amount: 1_00 }),
        payment.correct({ metadata: { i: String(index) } }),
      ])
    })
    await Promise.all(lives)
    writing = false
    await reader
    const whole = await readAll(shop, 1000)
    expect(seen).toEqual(whole)
    for (const events of numbersOf(whole).values())
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  })
})
