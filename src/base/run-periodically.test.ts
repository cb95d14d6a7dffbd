import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runPeriodically } from './run-periodically.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('work is done at the start, and again and again until it is stopped', async () => {
  let done = 0
  const stop = runPeriodically(60_000, async () => void done++)
  expect(done).toBe(1)
  await vi.advanceTimersByTimeAsync(180_000)
  expect(done).toBe(4)
  await stop()
  await vi.advanceTimersByTimeAsync(180_000)
  expect(done).toBe(4)
})

test('work that takes longer than its interval is not done twice at a time, and whoever stops it waits for it', async () => {
  const work = Promise.withResolvers<void>()
  let begun = 0
  const stop = runPeriodically(60_000, () => {
    begun += 1
    return work.promise
  })
  await vi.advanceTimersByTimeAsync(600_000)
  expect(begun).toBe(1)
  let stopped = false
  const stopping = stop().then(() => {
    stopped = true
  })
  await vi.advanceTimersByTimeAsync(600_000)
  expect(stopped).toBe(false)
  work.resolve()
  await stopping
  await vi.advanceTimersByTimeAsync(600_000)
  expect(begun).toBe(1)
})
