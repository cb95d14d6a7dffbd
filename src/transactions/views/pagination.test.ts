import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const PAYMENTS = 23

const { railyard, shop } = await startShop({ comparesBooks: false })
// concurrent payments share their time, so that the id decides their order
const created = await Promise.all(
  Array.from({ length: PAYMENTS }, (_, index) => shop.authorized(1_00 + index)),
)
const ids = created.map(({ id }) => id)

interface Page {
  items: { id: string }[]
  next_cursor: string | null
  previous_cursor: string | null
}

const page = async (limit: number, cursor: string | null): Promise<Page> => {
  const { status, body } = await shop.get(`/transactions?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
  expect(status).toBe(200)
  return body
}
const idsOf = ({ items }: Page) => items.map(({ id }) => id)
const wholeList = async () => idsOf(await page(100, null))
const touch = (id: string | undefined) =>
  shop.payment(id ?? '').correct({ metadata: { touched: crypto.randomUUID() } })

/** Every page from the first to the last; `between` runs before each page but the first. */
async function walk(
  limit: number,
  between: (index: number) => Promise<unknown> = async () => undefined,
): Promise<Page[]> {
  const pages = [await page(limit, null)]
  for (let cursor = pages[0]?.next_cursor ?? null; cursor; cursor = pages.at(-1)?.next_cursor ?? null) {
    await between(pages.length)
    pages.push(await page(limit, cursor))
  }
  return pages
}

/** Every page before `from`, read backwards; `between` runs before each. */
async function walkBack(
  limit: number,
  from: Page | undefined,
  between: (index: number) => Promise<unknown> = async () => undefined,
): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor = from?.previous_cursor ?? null; cursor; cursor = pages[0]?.previous_cursor ?? null) {
    await between(pages.length)
    pages.unshift(await page(limit, cursor))
  }
  return pages
}

test('the pages of a list, of any size, are together the whole list, forwards and backwards', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: PAYMENTS + 2 }), async (limit) => {
      const list = await wholeList()
      const forwards = await walk(limit)
      expect(forwards.flatMap(idsOf)).toEqual(list)
      expect(forwards[0]?.previous_cursor).toBeNull()
      const last = forwards.at(-1)
      const backwards = await walkBack(limit, last)
      expect([...backwards, last ?? page].flatMap((each) => idsOf(each as Page))).toEqual(list)
    }),
    { numRuns: 8 },
  )
})

test('while payments change, reading forwards shows the unchanged ones exactly once and in order, and none twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 9 }),
      fc.array(fc.nat(PAYMENTS - 1), { minLength: 1, maxLength: 8 }),
      async (limit, picks) => {
        const list = await wholeList()
        const changed = new Set<string>()
        const change = async (index: number) => {
          const id = ids[picks[(index - 1) % picks.length] ?? 0] ?? ''
          changed.add(id)
          await touch(id)
        }
        const seen = (await walk(limit, change)).flatMap(idsOf)
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen.filter((id) => !changed.has(id))).toEqual(list.filter((id) => !changed.has(id)))
      },
    ),
    { numRuns: 8 },
  )
})

test('while payments change, reading backwards shows the unchanged ones exactly once and in order, and changed ones again as the newest', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 9 }),
      fc.array(fc.nat(PAYMENTS - 1), { minLength: 1, maxLength: 5 }),
      async (limit, picks) => {
        const list = await wholeList()
        const last = (await walk(limit)).at(-1)
        const changed = new Set<string>()
        const change = async (index: number) => {
          const id = ids[picks[index] ?? -1]
          if (!id) return
          changed.add(id)
          await touch(id)
        }
        const seen = [...(await walkBack(limit, last, change)), ...(last ? [last] : [])].flatMap(idsOf)
        expect(seen.filter((id) => !changed.has(id))).toEqual(list.filter((id) => !changed.has(id)))
        expect(new Set(seen)).toEqual(new Set(list))
      },
    ),
    { numRuns: 8 },
  )
})

test('new payments do not change the pages of older ones that a client is reading', async () => {
  const list = await wholeList()
  const seen = (await walk(5, () => shop.authorized(9_99))).flatMap(idsOf)
  expect(seen).toEqual(list)
})

test('a cursor is good for its own list and filters only', async () => {
  const { next_cursor: cursor } = await page(5, null)
  expect(await shop.get(`/transactions?limit=5&currency=EUR&cursor=${cursor}`)).toMatchObject({
    status: 400,
    body: {
      details: [
        {
          pointer: 'cursor',
          message: expect.stringContaining('repeat the filters of the page that it came with'),
        },
      ],
    },
  })
  const other = await openShop(railyard)
  expect((await other.get(`/transactions?limit=5&cursor=${cursor}`)).status).toBe(400)
})
