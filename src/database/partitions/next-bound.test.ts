import { expect, test } from 'vitest'
import { nextBound } from './next-bound.ts'

const at = (time: string) => Date.parse(time)
const day = (moment: number | undefined) => moment && new Date(moment).toISOString()
const size = { wanted: 10_000_000, dividesSmall: false }
const before = { rows: 12_000_000, from: at('2026-06-01T00:00:00Z'), to: at('2026-11-27T09:30:00Z') }

test('a table stays undivided until it has as many payments as a partition should have', () => {
  const now = at('2026-11-27T09:30:00Z')
  expect(nextBound({ ...size, now, newest: null, before: { ...before, rows: 9_999_999 } })).toBeUndefined()
  expect(day(nextBound({ ...size, now, newest: null, before }))).toBe('2026-12-01T00:00:00.000Z')
})

test('an operator divides a table with fewer payments', () => {
  const now = at('2026-11-27T09:30:00Z')
  const few = { ...size, dividesSmall: true, now, newest: null, before: { ...before, rows: 3 } }
  expect(day(nextBound(few))).toBe('2026-12-01T00:00:00.000Z')
})

test('a partition gets its end three days ahead at least', () => {
  const now = at('2026-11-29T09:30:00Z')
  expect(day(nextBound({ ...size, now, newest: null, before }))).toBe('2027-01-01T00:00:00.000Z')
})

test('the newest partition gets its end ten days before it begins', () => {
  const growth = { ...size, newest: at('2026-12-01T00:00:00Z'), before }
  expect(nextBound({ ...growth, now: at('2026-11-20T00:00:00Z') })).toBeUndefined()
  expect(day(nextBound({ ...growth, now: at('2026-11-21T00:00:01Z') }))).toBe('2027-05-01T00:00:00.000Z')
})

test.for([
  { rows: 60_000_000, months: 1 },
  { rows: 5_000_000, months: 2 },
  { rows: 10, months: 12 },
])(
  'a partition takes $months months where the one before has $rows payments of one month',
  ({ rows, months }) => {
    const bound = nextBound({
      ...size,
      now: at('2026-12-25T00:00:00Z'),
      newest: at('2027-01-01T00:00:00Z'),
      before: { rows, from: at('2026-12-01T00:00:00Z'), to: at('2027-01-01T00:00:00Z') },
    })
    expect(bound).toBe(Date.UTC(2027, months))
  },
)

test('a partition that has begun without an end gets one that is still ahead', () => {
  const bound = nextBound({
    ...size,
    now: at('2027-03-30T12:00:00Z'),
    newest: at('2027-01-01T00:00:00Z'),
    before: { rows: 60_000_000, from: at('2026-12-01T00:00:00Z'), to: at('2027-01-01T00:00:00Z') },
  })
  expect(day(bound)).toBe('2027-05-01T00:00:00.000Z')
})
