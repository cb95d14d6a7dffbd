import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readInterval } from './interval.ts'

const now = Date.parse('2025-11-22T10:20:30Z')
const read = (text: string) => {
  const interval = readInterval(text, now)
  return typeof interval === 'string'
    ? interval
    : [new Date(interval.start).toISOString(), new Date(interval.end).toISOString()]
}

test.each([
  ['2025-11-22T08:00:00Z/2025-11-22T09:00:00Z', '2025-11-22T08:00:00.000Z', '2025-11-22T09:00:00.000Z'],
  ['2025-11-22T08:00/PT90M', '2025-11-22T08:00:00.000Z', '2025-11-22T09:30:00.000Z'],
  ['PT1H/2025-11-22T09:00:00+01:00', '2025-11-22T07:00:00.000Z', '2025-11-22T08:00:00.000Z'],
  ['2025-11-22T08:00:00 01:00/PT1H', '2025-11-22T07:00:00.000Z', '2025-11-22T08:00:00.000Z'],
  ['2025-11-22/2025-11-22T01:00', '2025-11-22T00:00:00.000Z', '2025-11-22T01:00:00.000Z'],
  ['PT3H/now', '2025-11-22T07:20:30.000Z', '2025-11-22T10:20:30.000Z'],
  ['hour_start/now', '2025-11-22T10:00:00.000Z', '2025-11-22T10:20:30.000Z'],
  ['P1D/hour_end', '2025-11-21T11:00:00.000Z', '2025-11-22T11:00:00.000Z'],
  ['now/now', '2025-11-22T10:20:30.000Z', '2025-11-22T10:20:30.000Z'],
])('%s is an interval', (text, start, end) => {
  expect(read(text)).toEqual([start, end])
})

test.each([
  '',
  '/',
  'PT1H',
  'now',
  'PT1H/PT1H',
  'now/PT1H/now',
  '2025-11-22T10:00Z/2025-11-22T09:00Z',
  'PT-1H/now',
  'yesterday/now',
  '12:00/now',
  '2025-13-01/now',
  '0000-01-01/now',
  '9999-12-31T23:00Z/P1D',
  'P99999999Y/now',
  '2025-11-22T08:00Z/P',
])('"%s" is not an interval', (text) => {
  expect(typeof read(text)).toBe('string')
})

test('property: the database accepts every interval that is accepted here', () => {
  const part = fc.oneof(
    fc.constantFrom('now', 'PT1H', 'P1Y', '2025-11-22', '0001-01-01', '9999-12-31T23:59:59Z'),
    fc.string(),
    fc.date().map(String),
  )
  fc.assert(
    fc.property(part, part, (first, last) => {
      const times = read(`${first}/${last}`)
      for (const time of typeof times === 'string' ? [] : times) expect(time).toMatch(/^(?!0000)\d{4}-/)
    }),
  )
})
