import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '../../test/support/railyard.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'

const BUYERS = 17
const railyard = await startRailyardForFile()
const merchant: Client = await railyard.merchant()
const created = await Promise.all(
  Array.from({ length: BUYERS }, (_, index) =>
    merchant.post('/buyers', { display_name: index % 2 ? `Odd ${index}` : `Even ${index}` }),
  ),
)
// buyers that are created at the same time are sorted by their ids
const sortable = created.map(({ body }) => ({ id: body.id, key: `${body.created_at} ${body.id}` }))
/** Newest first. */
const ids: string[] = sortable.toSorted((a, b) => (a.key < b.key ? 1 : -1)).map(({ id }) => id)

interface Page {
  items: { id: string }[]
  next_cursor: string | null
  previous_cursor: string | null
}

const idsOf = ({ items }: Page) => items.map(({ id }) => id)
async function page(query: Record<string, string>, by = merchant): Promise<Page> {
  const { status, body } = await by.get(`/buyers?${new URLSearchParams(query)}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  return body
}

/** Every page from the first to the last. */
async function walk(query: Record<string, string>): Promise<Page[]> {
  const first = await page(query)
  const pages = [first]
  for (let cursor = first.next_cursor; cursor; cursor = pages.at(-1)?.next_cursor ?? null)
    pages.push(await page({ ...query, cursor }))
  return pages
}

/** The pages before a page, back to the first. */
async function walkBack(query: Record<string, string>, from: Page | undefined): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor = from?.previous_cursor ?? null; cursor; cursor = pages[0]?.previous_cursor ?? null)
    pages.unshift(await page({ ...query, cursor }))
  return pages
}

test('pages of any size, put together, are the whole list, the newest first, forwards and backwards', async () => {
  const odd = idsOf(await page({ search: 'odd', limit: '100' }))
  expect(odd).toHaveLength(Math.floor(BUYERS / 2))
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: BUYERS + 2 }), fc.boolean(), async (size, searching) => {
      const query = { limit: String(size), ...(searching && { search: 'odd' }) }
      const expected = searching ? odd : ids
      const forwards = await walk(query)
      expect(forwards.flatMap(idsOf)).toEqual(expected)
      expect(forwards).toHaveLength(Math.ceil(expected.length / size))
      expect(forwards[0]?.previous_cursor).toBeNull()
      const backwards = await walkBack(query, forwards.at(-1))
      expect(backwards.flatMap(idsOf)).toEqual(forwards.slice(0, -1).flatMap(idsOf))
    }),
    { numRuns: 12 },
  )
})

test('a cursor is valid for its own list and filters only', async () => {
  const { next_cursor } = await page({ limit: '2' })
  const cursor = next_cursor ?? ''
  const stranger = await railyard.merchant()
  for (const [by, query] of [
    [stranger, { cursor }],
    [merchant, { cursor, search: 'odd' }],
    [merchant, { cursor, external_identifier: 'odd' }],
  ] as const)
    expect((await by.get(`/buyers?${new URLSearchParams(query)}`)).status).toBe(400)
  expect((await merchant.get('/buyers?limit=0')).status).toBe(422)
  expect((await merchant.get('/buyers?limit=101')).status).toBe(422)
})

test('a search finds parts of the name or of the external identifier in upper or lower case, or the whole id', async () => {
  const shop = await railyard.merchant()
  const ada = (
    await shop.post('/buyers', { display_name: 'Ada Lovelace', external_identifier: 'customer-1815' })
  ).body
  const grace = (
    await shop.post('/buyers', { display_name: 'Grace Hopper', external_identifier: 'customer-1906' })
  ).body
  const nameless = (await shop.post('/buyers', {})).body
  const found = async (search: string) => idsOf(await page({ search }, shop))
  expect(await found('LOVE')).toEqual([ada.id])
  expect(await found('Customer-1')).toEqual([grace.id, ada.id])
  expect(await found('1906')).toEqual([grace.id])
  expect(await found(nameless.id)).toEqual([nameless.id])
  expect(await found(ada.id.toUpperCase())).toEqual([ada.id])
  expect(await found(ada.id.slice(0, -1))).toEqual([])
  expect(await found('babbage')).toEqual([])
  expect(await found('')).toEqual([nameless.id, grace.id, ada.id])
  expect(idsOf(await page({ external_identifier: 'customer-1815' }, shop))).toEqual([ada.id])
  expect(idsOf(await page({ external_identifier: 'CUSTOMER-1815' }, shop))).toEqual([])
  expect(idsOf(await page({ external_identifier: 'customer-1815', search: 'grace' }, shop))).toEqual([])
})

test('characters with a meaning in SQL patterns are searched for literally', async () => {
  const shop = await railyard.merchant()
  const names = ['5% off', '5 off', 'a_b', 'acb', 'back\\slash', "it's", 'line\nbreak']
  for (const display_name of names) await shop.post('/buyers', { display_name })
  const found = async (search: string) =>
    (await shop.get(`/buyers?${new URLSearchParams({ search })}`)).body.items[0]?.display_name
  const count = async (search: string) => (await page({ search }, shop)).items.length
  for (const [search, name] of [
    ['5%', '5% off'],
    ['a_b', 'a_b'],
    ['\\', 'back\\slash'],
    ["'", "it's"],
    ['\n', 'line\nbreak'],
  ] as const) {
    expect([await found(search), await count(search)]).toEqual([name, 1])
  }
  expect(await count('5%off')).toBe(0)
  expect(await count('\\%')).toBe(0)
  expect((await shop.get(`/buyers?search=${encodeURIComponent('a\u0000')}`)).status).toBe(422)
})

test('a search finds any name by any part of it', async () => {
  const shop = await railyard.merchant()
  const name = fc.string({
    unit: fc.constantFrom('%', '_', '\\', "'", '"', 'a', 'Z', ' ', '💳', '\n'),
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(name, fc.nat(11), fc.nat(11), async (display_name, from, length) => {
      const { body } = await shop.post('/buyers', { display_name })
      const characters = [...display_name]
      const start = from % characters.length
      const part = characters.slice(start, start + 1 + (length % (characters.length - start))).join('')
      const found = (await shop.get(`/buyers?${new URLSearchParams({ search: part, limit: '100' })}`)).body
        .items
      expect(idsOf({ items: found, next_cursor: null, previous_cursor: null })).toContain(body.id)
      for (const { display_name: each } of found) expect(each.toLowerCase()).toContain(part.toLowerCase())
    }),
    { numRuns: 40 },
  )
})

test('an unknown external identifier finds no buyer', async () => {
  expect((await page({ external_identifier: randomUUID() })).items).toEqual([])
})
