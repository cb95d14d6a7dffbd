import { afterEach, expect, test, vi } from 'vitest'
import { followServerTime } from './server-time.ts'

afterEach(() => vi.useRealTimers())

/** A machine whose clocks the test moves. */
function machine(wall: number) {
  vi.useFakeTimers({ now: wall, toFake: ['Date', 'performance'] })
  return {
    pass: (ms: number) => vi.advanceTimersByTime(ms),
    step: (ms: number) => vi.setSystemTime(Date.now() + ms),
  }
}
const NOON = Date.UTC(2026, 10, 23, 12)
const HOUR = 3_600_000

test('a machine that is an hour behind uses the server’s time from its first answer on', () => {
  const { pass } = machine(NOON - HOUR)
  const time = followServerTime()
  expect(time.now()).toBe(NOON - HOUR)
  const asked = performance.now()
  pass(10)
  time.adjust({ server: NOON, asked, answered: performance.now() })
  expect(time.now()).toBe(NOON + 5)
  expect(time.skew()).toBe(-HOUR + 5)
  pass(60_000)
  expect(time.now()).toBe(NOON + 60_005)
})

test('a step of the machine’s clock changes the skew and not the time', () => {
  const { pass, step } = machine(NOON)
  const time = followServerTime()
  step(HOUR)
  pass(1_000)
  expect(time.now()).toBe(NOON + 1_000)
  expect(time.skew()).toBe(HOUR)
})

test('a slow answer that does not contradict the estimate does not change it', () => {
  const { pass } = machine(NOON)
  const time = followServerTime()
  const asked = performance.now()
  pass(2_000)
  time.adjust({ server: NOON + 300, asked, answered: performance.now() })
  expect(time.now()).toBe(NOON + 2_000)
  time.adjust({ server: NOON + 9_000, asked, answered: performance.now() })
  expect(time.now()).toBe(NOON + 10_000)
})

test('the time is a whole number of milliseconds, as ids need it', () => {
  const { pass } = machine(NOON)
  const time = followServerTime()
  const asked = performance.now()
  pass(3)
  time.adjust({ server: NOON + 50_000, asked, answered: performance.now() })
  expect(Number.isInteger(time.now())).toBe(true)
})
