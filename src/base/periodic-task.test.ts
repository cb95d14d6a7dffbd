import { expect, onTestFinished, test, vi } from 'vitest'
import { type PeriodicTaskOptions, startPeriodicTask } from './periodic-task.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A task that ends with its test. Its rounds may not fail. */
function startTask(ms: number, round: () => Promise<number>, options?: PeriodicTaskOptions) {
  const task = startPeriodicTask(ms, round, () => expect.unreachable(), options)
  onTestFinished(task.stop)
  return task
}

function useFakeTimers() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('runOnce during a round waits for it and runs another one, and two rounds never run at once', async () => {
  let due = 1
  let running = 0
  const finish: (() => void)[] = []
  const task = startTask(HOUR_MS, async () => {
    expect(++running).toBe(1)
    const seen = due
    due = 0
    await new Promise<void>((resolve) => finish.push(resolve))
    running--
    return seen
  })
  const first = task.runOnce()
  await expect.poll(() => finish.length).toBe(1)
  due = 2
  const [second, third] = [task.runOnce(), task.runOnce()]
  finish[0]?.()
  expect(await first).toBe(1)
  await expect.poll(() => finish.length).toBe(2)
  finish[1]?.()
  expect(await Promise.all([second, third])).toEqual([2, 2])
  expect(finish).toHaveLength(2)
})

test('rounds that fail one after the other are logged once at first and then every minute', async () => {
  useFakeTimers()
  let isAway = true
  const logged: unknown[] = []
  const round = async () => {
    if (isAway) throw new Error('the database does not answer')
    return 0
  }
  const task = startPeriodicTask(1_000, round, (error) => logged.push(error))
  onTestFinished(task.stop)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(logged).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(61_000)
  expect(logged).toHaveLength(2)
  isAway = false
  await vi.advanceTimersByTimeAsync(1_000)
  isAway = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(logged).toHaveLength(3)
})

test('a task that starts now runs its first round at once, and then one each interval until it is stopped', async () => {
  useFakeTimers()
  let done = 0
  const task = startTask(MINUTE_MS, async () => ++done, { firstAfterMs: 0 })
  expect(done).toBe(1)
  await vi.advanceTimersByTimeAsync(3 * MINUTE_MS)
  expect(done).toBe(4)
  await task.stop()
  await vi.advanceTimersByTimeAsync(3 * MINUTE_MS)
  expect(done).toBe(4)
})

test('a round that takes longer than the interval is not begun twice, and stop waits for it', async () => {
  useFakeTimers()
  const work = Promise.withResolvers<number>()
  let begun = 0
  const round = () => {
    begun += 1
    return work.promise
  }
  const task = startTask(MINUTE_MS, round, { firstAfterMs: 0 })
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
  expect(begun).toBe(1)
  let stopped = false
  const stopping = task.stop().then(() => {
    stopped = true
  })
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
  expect(stopped).toBe(false)
  work.resolve(0)
  await stopping
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS)
  expect(begun).toBe(1)
})

test('the first round may begin before the first interval has passed', async () => {
  useFakeTimers()
  let rounds = 0
  const task = startTask(HOUR_MS, async () => ++rounds, { firstAfterMs: MINUTE_MS })
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1)
  expect(rounds).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(rounds).toBe(1)
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(rounds).toBe(2)
  const stopped = startTask(HOUR_MS, async () => ++rounds, { firstAfterMs: MINUTE_MS })
  await Promise.all([stopped.stop(), task.stop()])
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  expect(rounds).toBe(2)
})

test('tasks that start together have rounds apart from each other', async () => {
  useFakeTimers()
  const began: number[] = []
  const SECOND_MS = 1_000
  const started = performance.now()
  const round = async () => began.push(performance.now() - started)
  for (let count = 0; count < 10; count += 1) startTask(SECOND_MS, round)
  await vi.advanceTimersByTimeAsync(SECOND_MS - 1)
  expect(began).toEqual([])
  await vi.advanceTimersByTimeAsync(2 * SECOND_MS)
  expect(began).toHaveLength(20)
  const gaps = began.slice(1).map((at, index) => at - (began[index] ?? Number.NaN))
  expect(Math.min(...gaps)).toBeGreaterThan(50)
})

test('the first round of a task with a long interval begins at most a minute after the first interval', async () => {
  useFakeTimers()
  let rounds = 0
  startTask(24 * HOUR_MS, async () => ++rounds)
  await vi.advanceTimersByTimeAsync(24 * HOUR_MS - 1)
  expect(rounds).toBe(0)
  await vi.advanceTimersByTimeAsync(MINUTE_MS)
  expect(rounds).toBe(1)
})
