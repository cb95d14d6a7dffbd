import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  DOWN_AFTER_FAILURES,
  deliveryPauseAfter,
  GIVE_UP_AFTER_MS,
  MAX_DELIVERY_PAUSE_MS,
  queuePauseAfter,
  requestedPauseOf,
  withJitter,
} from './back-off.ts'

const HOUR = 3_600_000

/** How many attempts are made in this time when each one fails at once. */
function triesIn(time: number, chance: () => number): number {
  let tries = 0
  for (let at = 0; at < time; ) {
    tries += 1
    at += withJitter(deliveryPauseAfter(tries), chance())
  }
  return tries
}

describe('the pauses between delivery attempts', () => {
  test('the pause begins with 5 seconds, doubles, and ends at 6 hours', () => {
    expect([1, 2, 3, 4].map(deliveryPauseAfter)).toEqual([5_000, 10_000, 20_000, 40_000])
    expect(deliveryPauseAfter(12)).toBeLessThan(6 * HOUR)
    for (const tries of [14, 40, 5_000]) expect(deliveryPauseAfter(tries)).toBe(6 * HOUR)
  })

  test('an event is tried about forty times in seven days: a dozen times in the first half day, then every six hours', () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (chances) => {
          const chance = () => Number(chances.next().value)
          const first = triesIn(12 * HOUR, chance)
          expect(first).toBeGreaterThanOrEqual(13)
          expect(first).toBeLessThanOrEqual(15)
          const all = triesIn(GIVE_UP_AFTER_MS, chance)
          expect(all).toBeGreaterThanOrEqual(36)
          expect(all).toBeLessThanOrEqual(44)
        },
      ),
    )
  })

  test('jitter changes a pause by at most a tenth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (tries, chance) => {
          const pause = deliveryPauseAfter(tries)
          expect(Math.abs(withJitter(pause, chance) - pause)).toBeLessThanOrEqual(pause / 10 + 1)
        },
      ),
    )
  })
})

test('a queue whose receiver is down pauses for 5 seconds at first and for 5 minutes in the end', () => {
  expect([0, 1, DOWN_AFTER_FAILURES - 1].map(queuePauseAfter)).toEqual([0, 0, 0])
  expect(
    [DOWN_AFTER_FAILURES, DOWN_AFTER_FAILURES + 1, DOWN_AFTER_FAILURES + 2].map(queuePauseAfter),
  ).toEqual([5_000, 10_000, 20_000])
  expect(queuePauseAfter(DOWN_AFTER_FAILURES + 2_000)).toBe(300_000)
})

describe('the pause that a receiver asks for', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const requestedPause = (status: number, after?: string) =>
    requestedPauseOf({ status, headers: after === undefined ? {} : { 'retry-after': after } }, now)

  test('Retry-After may be in seconds or a date', () => {
    expect(requestedPause(429, '120')).toBe(120_000)
    expect(requestedPause(503, 'Thu, 01 Jan 2026 00:01:00 GMT')).toBe(60_000)
  })

  test('Retry-After counts with 429 and 503 only, and up to the longest pause', () => {
    expect(requestedPause(500, '120')).toBe(0)
    expect(requestedPause(503)).toBe(0)
    expect(requestedPause(503, '99999999999')).toBe(MAX_DELIVERY_PAUSE_MS)
    expect(requestedPause(429, 'Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0)
  })

  test('Retry-After with any text gives a pause between 0 and the longest', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const pause = requestedPause(503, text)
        expect(pause).toBeGreaterThanOrEqual(0)
        expect(pause).toBeLessThanOrEqual(MAX_DELIVERY_PAUSE_MS)
      }),
    )
  })
})
