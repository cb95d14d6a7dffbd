import { expect, test } from 'vitest'
import { DOWN_AFTER_FAILURES, GIVE_UP_AFTER_MS } from './back-off.ts'
import { afterFailure, healthOf, healthy, isDown, maySendTo } from './receiver-health.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const at = new Date(start).toISOString()
const before = (failures: number) => healthOf({ failures, failingSince: failures > 0 ? at : null })

test('the first failures in a row cause no pause', () => {
  const health = afterFailure(before(0), at, start)
  expect(health).toEqual({ failures: 1, failingSince: at, resumeAt: null, isGivenUp: false })
  expect([isDown(health), maySendTo(health)]).toEqual([false, true])
})

test('the queue pauses when the receiver is down, and late failures do not lengthen the pause', () => {
  const down = afterFailure(before(DOWN_AFTER_FAILURES - 1), at, start)
  expect([isDown(down), maySendTo(down)]).toEqual([true, false])
  expect(afterFailure(down, at, start + 60_000)).toEqual(down)
})

test('a success ends the row of failures', () => {
  expect(healthy).toEqual(before(0))
})

test.each([
  [GIVE_UP_AFTER_MS - 1, false],
  [GIVE_UP_AFTER_MS, true],
])('a receiver that has failed for %i ms is given up: %s', (elapsed, isGivenUp) => {
  const health = afterFailure(before(DOWN_AFTER_FAILURES), at, start + elapsed)
  expect([health.isGivenUp, maySendTo(health)]).toEqual([isGivenUp, false])
})
