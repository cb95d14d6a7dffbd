import fc from 'fast-check'
import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { isTimeZone, lastPeriod, nextStart } from './schedule.ts'

const at = (text: string) => Date.parse(text)
const iso = (instant: number) => new Date(instant).toISOString()
const dateAt = (zone: string, instant: number) => DateTime.fromMillis(instant, { zone }).toISODate() ?? ''
const next = (zone: string, after: string) => iso(nextStart('day', zone, at(after)))

const zones = Intl.supportedValuesOf('timeZone')
const DAY = 86_400_000
const instant = fc.integer({ min: at('1975-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') })

test('a day of 23 or of 25 hours ends at midnight', () => {
  expect(next('Europe/Berlin', '2026-03-28T23:00:00Z')).toBe('2026-03-29T22:00:00.000Z')
  expect(next('Europe/Berlin', '2026-10-24T22:00:00Z')).toBe('2026-10-25T23:00:00.000Z')
})

test('a day whose midnight the clocks skip begins with its first instant', () => {
  expect(next('America/Sao_Paulo', '2018-11-03T12:00:00Z')).toBe('2018-11-04T03:00:00.000Z')
})

test('a day with two midnights has one start', () => {
  expect(next('America/Havana', '2025-11-01T12:00:00Z')).toBe('2025-11-02T04:00:00.000Z')
  expect(next('America/Havana', '2025-11-02T04:00:00Z')).toBe('2025-11-03T05:00:00.000Z')
  expect(iso(lastPeriod('day', 'America/Havana', at('2025-11-03T05:00:00Z')).start)).toBe(
    '2025-11-02T04:00:00.000Z',
  )
})

test('a day that a country has skipped gets no report of its own', () => {
  expect(next('Pacific/Apia', '2011-12-29T12:00:00Z')).toBe('2011-12-30T10:00:00.000Z')
  expect(next('Pacific/Apia', '2011-12-30T10:00:00Z')).toBe('2011-12-31T10:00:00.000Z')
})

test('weeks begin on Monday, months on their first day', () => {
  expect(iso(nextStart('week', 'Europe/Berlin', at('2026-11-22T12:00:00Z')))).toBe('2026-11-22T23:00:00.000Z')
  expect(iso(nextStart('month', 'America/New_York', at('2026-10-31T12:00:00Z')))).toBe(
    '2026-11-01T04:00:00.000Z',
  )
  expect(lastPeriod('month', 'Etc/UTC', at('2026-03-01T00:00:00Z'))).toEqual({
    start: at('2026-02-01T00:00:00Z'),
    end: at('2026-03-01T00:00:00Z'),
  })
  expect(lastPeriod('week', 'Etc/UTC', at('2026-11-25T10:00:00Z'))).toEqual({
    start: at('2026-11-16T00:00:00Z'),
    end: at('2026-11-23T00:00:00Z'),
  })
})

test('in ten years of any zone no day is skipped or comes twice, and each begins at midnight or with its first instant', () => {
  fc.assert(
    fc.property(fc.constantFrom(...zones), instant, (zone, from) => {
      const until = from + 3_653 * DAY
      const wrong: string[] = []
      // the second start, since the first one may be the later midnight of a day that has two
      let last = nextStart('day', zone, nextStart('day', zone, from))
      let lastDate = dateAt(zone, last)
      while (last < until) {
        const start = nextStart('day', zone, last)
        const now = DateTime.fromMillis(start, { zone })
        const date = now.toISODate() ?? ''
        // an hour may come twice, but never a day
        const days = (at(date) - at(lastDate)) / DAY
        const isNext = start > last && (days === 1 || (days === 2 && start - last <= 26 * 3_600_000))
        // one millisecond earlier it was another day
        const isFirst = now.hour * 60 + now.minute === 0 || dateAt(zone, start - 1) !== date
        const over = lastPeriod('day', zone, start)
        if (!isNext || !isFirst || over.start !== last || over.end !== start)
          wrong.push(`${zone}: ${iso(last)} and then ${iso(start)}`)
        last = start
        lastDate = date
      }
      expect(wrong).toEqual([])
    }),
    { numRuns: 12 },
  )
})

test('in any zone the last period ends where the next one begins', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom('day', 'week', 'month'),
      instant,
      (zone, period, from) => {
        const first = nextStart(period, zone, nextStart(period, zone, from))
        const second = nextStart(period, zone, first)
        expect(second).toBeGreaterThan(first)
        expect(lastPeriod(period, zone, second)).toEqual({ start: first, end: second })
        const { start, end } = lastPeriod(period, zone, from)
        expect(start).toBeLessThan(end)
        expect(end).toBeLessThanOrEqual(from)
      },
    ),
    { numRuns: 300 },
  )
})

test('a zone that Node does not know is an error', () => {
  expect(() => nextStart('day', 'Mars/Phobos', 0)).toThrow(RangeError)
  expect(() => lastPeriod('month', 'Mars/Phobos', 0)).toThrow(RangeError)
})

test('names of time zones are accepted, offsets and other texts are not', () => {
  expect(
    ['Etc/UTC', 'UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'].map(isTimeZone),
  ).not.toContain(false)
  expect(
    ['+02:00', '', 'Europe/Atlantis', 'x'.repeat(500), '../etc/passwd', 'constructor'].map(isTimeZone),
  ).not.toContain(true)
})
