import { describe, expect, test } from 'vitest'
import { readDatetimeRange } from './datetime-range.ts'

const at = Date.parse('2026-03-29T10:20:30.456Z')
const clock = { now: () => at }
const read = (text: string) => {
  const span = readDatetimeRange(text, clock)
  return typeof span === 'string'
    ? span
    : [new Date(span.from).toISOString(), new Date(span.to).toISOString()]
}

describe('a datetime range is an ISO 8601 interval', () => {
  test.each([
    ['2026-01-01T00:00:00Z/2026-01-02T12:00:00Z', '2026-01-01T00:00:00.000Z', '2026-01-02T12:00:00.000Z'],
    ['2026-01-01/2026-02-01', '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['2026-01-01T02:00:00+02:00/PT1H', '2026-01-01T00:00:00.000Z', '2026-01-01T01:00:00.000Z'],
    // in a query string the unescaped plus sign of an offset is a blank
    ['2026-01-01T02:00:00 02:00/PT90M', '2026-01-01T00:00:00.000Z', '2026-01-01T01:30:00.000Z'],
    ['P1M/2026-03-31T00:00:00Z', '2026-02-28T00:00:00.000Z', '2026-03-31T00:00:00.000Z'],
    ['P1D/now', '2026-03-28T10:20:30.456Z', '2026-03-29T10:20:30.456Z'],
    ['P7D/hour_end', '2026-03-22T11:00:00.000Z', '2026-03-29T11:00:00.000Z'],
    ['PT2H/hour_start', '2026-03-29T08:00:00.000Z', '2026-03-29T10:00:00.000Z'],
    ['hour_start/now', '2026-03-29T10:00:00.000Z', '2026-03-29T10:20:30.456Z'],
    ['hour_start/PT1H', '2026-03-29T10:00:00.000Z', '2026-03-29T11:00:00.000Z'],
  ])('%s is the range from %s to %s', (text, from, to) => expect(read(text)).toEqual([from, to]))

  test.each([
    ['P7D', 'must be an ISO 8601 interval'],
    ['now', 'must be an ISO 8601 interval'],
    ['', 'must be an ISO 8601 interval'],
    ['a/b/c', 'must be an ISO 8601 interval'],
    ['P1D/P1D', 'needs a time beside the duration'],
    ['yesterday/now', 'its first part is neither a time nor a duration'],
    ['now/__proto__', 'its second part is neither a time nor a duration'],
    ['PX/now', 'its first part is neither a time nor a duration'],
    ['now/hour_start', 'must not end before it begins'],
    ['2026-01-01/2026-01-01', 'must end after it begins'],
    ['now/P-1D', 'must not end before it begins'],
    ['2010-01-01/now', 'must not be longer than ten years'],
    ['P900000Y/now', 'must lie between the years 1 and 9999'],
    ['0001-01-01/now', 'must not begin before 1970'],
  ])('the range %s is refused', (text, problem) => expect(read(text)).toMatch(problem))
})
