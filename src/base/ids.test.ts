import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock, timeOf } from './clock.ts'
import { timeOrderedIds } from './ids.ts'

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const timeIn = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

/** A clock that shows these times one after the other, and then the last one. */
const clockOf = (times: number[]) => {
  let index = 0
  return { now: () => times[Math.min(index++, times.length - 1)] ?? 0 }
}

test('ids are valid UUIDv7, unique and in order, whatever the clock does', () => {
  // steps of a clock: mostly still or forward, sometimes hours back
  const steps = fc.array(
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }), fc.integer({ min: -10_000_000, max: 1_000 })),
    {
      minLength: 1,
      maxLength: 300,
    },
  )
  fc.assert(
    fc.property(steps, (moves) => {
      let now = 1_700_000_000_000
      const times = moves.map((move) => {
        now += move
        return now
      })
      const ids = timeOrderedIds(clockOf(times))
      const made = times.map(() => ids.next())
      expect(made.every((id) => uuidV7.test(id))).toBe(true)
      expect(new Set(made).size).toBe(made.length)
      expect(made.toSorted()).toEqual(made)
      made.forEach((id, index) => {
        expect(timeIn(id)).toBeGreaterThanOrEqual(times[index] ?? 0)
      })
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('ids keep their order beyond the 4,096 that a millisecond has room for', () => {
  const now = 1_700_000_000_000
  const ids = timeOrderedIds(clockOf([now]))
  const made = Array.from({ length: 20_000 }, () => ids.next())
  expect(made.every((id) => uuidV7.test(id))).toBe(true)
  expect(new Set(made).size).toBe(20_000)
  expect(made.toSorted()).toEqual(made)
  // borrowed from the future: a millisecond for every 4,096
  expect(timeIn(made.at(-1) ?? '') - now).toBeLessThan(10)
})

test('ids of two processes in the same millisecond differ', () => {
  const clock = clockOf([1_700_000_000_000])
  const processes = Array.from({ length: 200 }, () => timeOrderedIds(clock))
  const made = processes.flatMap((ids) => Array.from({ length: 50 }, () => ids.next()))
  expect(new Set(made).size).toBe(made.length)
})

test('62 bits of an id are random, so that one id does not reveal the next', () => {
  const ids = timeOrderedIds(systemClock)
  const tails = Array.from({ length: 1_000 }, () => ids.next().slice(19))
  expect(new Set(tails).size).toBe(1_000)
  expect(new Set(tails.map((tail) => tail[0]))).toEqual(new Set(['8', '9', 'a', 'b']))
})

test('time is written as ISO 8601 in UTC', () => {
  expect(timeOf({ now: () => 0 })).toBe('1970-01-01T00:00:00.000Z')
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000)
})
