import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recoverFully } from '../../../test/support/provider.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const PAYMENTS = 40
const HOUR_MS = 3_600_000
const DAYS = 60
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

interface ListedPayment {
  id: string
  amount: number
  status: string
  created_at: string
  updated_at: string
}

const { railyard, shop } = await startShop({ comparesBooks: false })
await Promise.all(Array.from({ length: PAYMENTS }, (_, index) => shop.authorized(1_00 + index)))
// on a busy machine, a payment service's answer may come too late
await recoverFully(railyard)
// created over two months, some of them changed hours or weeks later, and seven within one period
const firstDay = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
const { db } = railyard.world
const made = await db.selectFrom('transactions').select('id').orderBy('id').execute()
for (const [index, { id }] of made.entries()) {
  const n = index + 1
  const createdAt = firstDay + (n < 8 ? 7 * n * MINUTE_MS : 31 * n * HOUR_MS)
  const updatedAt = createdAt + HOUR_MS * ((n * 37) % 11) * ((n * 53) % 29)
  await db
    .updateTable('transactions')
    .set({ created_at: new Date(createdAt).toISOString(), updated_at: new Date(updatedAt).toISOString() })
    .where('merchant_account_id', '=', shop.account)
    .where('id', '=', id)
    .execute()
}
const all: ListedPayment[] = (await shop.get('/transactions?limit=100')).body.items

/** The ids of every page of a list, from the first page to the last and back. */
async function walk(query: string, limit: number): Promise<{ forwards: string[]; backwards: string[] }> {
  const read = async (cursor: string | null) =>
    (await shop.get(`/transactions?${query}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)).body
  const idsOf = ({ items }: { items: ListedPayment[] }) => items.map(({ id }) => id)
  let page = await read(null)
  const forwards = idsOf(page)
  for (; page.next_cursor; forwards.push(...idsOf(page))) page = await read(page.next_cursor)
  const backwards = idsOf(page)
  for (; page.previous_cursor; backwards.unshift(...idsOf(page))) page = await read(page.previous_cursor)
  return { forwards, backwards }
}

const hour = fc.integer({ min: -30, max: (DAYS + 3) * 24 })

test('a list of any window of creation has all its payments in order, forwards and backwards', async () => {
  expect(all).toHaveLength(PAYMENTS)
  const start = Date.parse(
    all.reduce((oldest, { created_at }) => (created_at < oldest ? created_at : oldest), '9'),
  )
  const more = fc.constantFrom('', '&amount_lte=119', '&status=authorization_succeeded')
  const run = async (from: number | null, to: number | null, extra: string, limit: number) => {
    const at = (hours: number) => new Date(start + hours * HOUR_MS).toISOString()
    const query = `${from === null ? '' : `created_at_gte=${at(from)}&`}${to === null ? '' : `created_at_lte=${at(to)}`}${extra}`
    const isInWindow = ({ created_at, amount, status }: ListedPayment) =>
      (from === null || Date.parse(created_at) >= Date.parse(at(from))) &&
      (to === null || Date.parse(created_at) <= Date.parse(at(to))) &&
      (!extra.includes('amount') || amount <= 119) &&
      (!extra.includes('status') || status === 'authorization_succeeded')
    const expected = all.filter(isInWindow).map(({ id }) => id)
    const { forwards, backwards } = await walk(query, limit)
    expect(forwards).toEqual(expected)
    expect(backwards).toEqual(expected)
  }
  await fc.assert(
    fc.asyncProperty(fc.option(hour), fc.option(hour), more, fc.integer({ min: 3, max: 50 }), run),
    { numRuns: 60 },
  )
})

test('a window of millennia is answered at once, with or without payments', async () => {
  const eternity =
    '/transactions?limit=100&created_at_gte=0001-01-01T00:00:00Z&created_at_lte=9999-12-31T23:59:59Z'
  const past = '/transactions?created_at_gte=0001-01-01T00:00:00Z&created_at_lte=2020-01-01T00:00:00Z'
  const other = await openShop(railyard)
  expect((await shop.get(eternity)).body.items.map(({ id }: ListedPayment) => id)).toEqual(
    all.map(({ id }) => id),
  )
  for (const merchant of [shop, other]) expect((await merchant.get(past)).body.items).toEqual([])
})
