import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { card, startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import { createCipher } from '../base/cipher.ts'
import { ApiError } from './errors.ts'
import { type Position, pageOf, readPage } from './pagination.ts'

const cipher = createCipher(randomBytes(32))
const position: fc.Arbitrary<Position> = fc.record({
  direction: fc.constantFrom('next' as const, 'previous' as const),
  key: fc.string({ unit: 'binary' }),
  id: fc.oneof(fc.uuid(), fc.string({ unit: 'binary' })),
})

/** The cursor of a page of one row. */
function cursorTo(list: string, { direction, key, id }: Position): string {
  const request = {
    limit: 1,
    position: direction === 'previous' ? { direction: 'next' as const, key: '', id: '' } : undefined,
  }
  const page = pageOf(cipher, list, request, ['row', 'another'], () => ({ key, id }), String)
  return page[`${direction}_cursor`] ?? ''
}

const refuses = (list: string, cursor: string) => {
  try {
    readPage(cipher, list, { cursor })
    return false
  } catch (error) {
    return error instanceof ApiError && error.status === 400 && error.details[0]?.pointer === 'cursor'
  }
}

describe('a cursor', () => {
  test('is read as the position that it was made of', () => {
    fc.assert(
      fc.property(fc.string(), position, (list, at) => {
        expect(readPage(cipher, list, { cursor: cursorTo(list, at), limit: 7 })).toEqual({
          limit: 7,
          position: at,
        })
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test('with any character altered, added or lost is refused', () => {
    const change = fc.record({
      at: fc.nat(),
      character: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      kind: fc.constantFrom(0, 1, 2),
    })
    fc.assert(
      fc.property(position, change, (original, { at, character, kind }) => {
        const cursor = cursorTo('list', original)
        const index = at % cursor.length
        const changed =
          cursor.slice(0, index) +
          (kind === 2 ? '' : character) +
          cursor.slice(kind === 1 ? index : index + 1)
        expect(changed === cursor || refuses('list', changed)).toBe(true)
      }),
      { seed: 2, numRuns: 3_000 },
    )
  })

  test('in another spelling is refused, though it decodes to the same', () => {
    fc.assert(
      fc.property(position, (at) => {
        const cursor = cursorTo('list', at)
        const spellings = [
          cursor.replaceAll('-', '+'),
          cursor.replaceAll('_', '/'),
          `${cursor}=`,
          ` ${cursor}`,
          `${cursor}\n`,
          `${cursor}.`,
          cursor.replace('.', '=.'),
        ]
        for (const other of spellings) expect(other === cursor || refuses('list', other)).toBe(true)
      }),
      { seed: 3, numRuns: 300 },
    )
  })

  test('of one list is refused by any other, whatever the names of the lists', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('a', 'a\nb', 'a\nb\n', '', '["a"', 'a.b'))
    fc.assert(
      fc.property(
        name,
        name,
        position,
        (one, other, at) => one === other || refuses(other, cursorTo(one, at)),
      ),
      { seed: 4, numRuns: 1_000 },
    )
  })

  test('of another instance, or forged, is refused', () => {
    const otherCipher = createCipher(randomBytes(32))
    expect(() =>
      readPage(otherCipher, 'list', { cursor: cursorTo('list', { direction: 'next', key: 'k', id: 'i' }) }),
    ).toThrow(ApiError)
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.base64String(),
          fc.constantFrom('', '.', '..', 'null', '[]'),
        ),
        (text) => refuses('list', text),
      ),
      { seed: 5, numRuns: 1_000 },
    )
  })
})

describe('a list over HTTP', () => {
  let railyard: TestRailyard
  let merchant: Awaited<ReturnType<TestRailyard['merchant']>>
  beforeAll(async () => {
    railyard = await startTestRailyard()
    merchant = await railyard.merchant()
    for (let amount = 1; amount <= 5; amount++)
      await merchant.post('/transactions', { amount: amount * 100, currency: 'USD', payment_method: card })
  })
  afterAll(() => railyard.close())

  const next = async (path: string) => encodeURIComponent((await merchant.get(path)).body.next_cursor)

  test('is read to its end and back, each row once', async () => {
    const forth: string[] = []
    const pages: unknown[] = []
    let query = '/transactions?limit=2'
    for (;;) {
      const { body } = await merchant.get(query)
      expect(body.previous_cursor === null).toBe(pages.length === 0)
      pages.push(body.items)
      forth.push(...body.items.map(({ id }: { id: string }) => id))
      if (body.next_cursor === null) {
        query = `/transactions?limit=2&cursor=${encodeURIComponent(body.previous_cursor)}`
        break
      }
      query = `/transactions?limit=2&cursor=${encodeURIComponent(body.next_cursor)}`
    }
    expect(new Set(forth).size).toBe(5)
    const back = await merchant.get(query)
    expect(back.body.items).toEqual(pages.at(-2))
    const first = await merchant.get(
      `/transactions?limit=2&cursor=${encodeURIComponent(back.body.previous_cursor)}`,
    )
    expect(first.body).toMatchObject({ items: pages[0], previous_cursor: null })
  })

  test('refuses a cursor of another account, other filters or another list with a 400 that names it', async () => {
    const other = await railyard.merchant()
    const cursor = await next('/transactions?limit=2')
    const filtered = await next('/transactions?limit=2&currency=USD')
    const refusal = {
      status: 400,
      body: {
        code: 'bad_request',
        message: 'Request failed validation',
        details: [{ location: 'query', pointer: 'cursor', type: 'value_error' }],
      },
    }
    expect((await merchant.get(`/transactions?limit=3&cursor=${cursor}`)).status).toBe(200)
    expect((await merchant.get(`/transactions?currency=USD&cursor=${filtered}`)).status).toBe(200)
    expect(await other.get(`/transactions?cursor=${cursor}`)).toMatchObject(refusal)
    expect(await merchant.get(`/transactions?currency=USD&cursor=${cursor}`)).toMatchObject(refusal)
    expect(await merchant.get(`/transactions?currency=EUR&cursor=${filtered}`)).toMatchObject(refusal)
    for (const path of ['/payment-services', '/payment-service-definitions', '/merchant-accounts'])
      expect(await merchant.get(`${path}?cursor=${cursor}`)).toMatchObject(refusal)
    const events = `/transactions/${(await merchant.get('/transactions')).body.items[0].id}/events`
    expect(await merchant.get(`${events}?cursor=${cursor}`)).toMatchObject(refusal)
  })

  test.each(['x', 'null', '.', '%00', 'a.b.c', '%F0%9F%92%A9', 'x'.repeat(1000)])(
    'refuses the cursor %s',
    async (cursor) => {
      expect([400, 422]).toContain((await merchant.get(`/transactions?cursor=${cursor}`)).status)
    },
  )

  test('answers a cursor of 1 to 1000 characters', async () => {
    const { body } = await merchant.get('/transactions?limit=1')
    expect(body.next_cursor.length).toBeLessThan(200)
    expect((await merchant.get(`/transactions?cursor=${'x'.repeat(1001)}`)).status).toBe(422)
  })
})
