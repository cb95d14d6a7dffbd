import { expect, onTestFinished, test, vi } from 'vitest'
import { startPeriodicTask } from './periodic-task.ts'

const HOUR_MS = 3_600_000

test('who asks during a round is answered by one that has begun since, and there are never two', async () => {
  let due = 1
  let looking = 0
  const finish: (() => void)[] = []
  const rounds = startPeriodicTask(
    HOUR_MS,
    async () => {
      expect(++looking).toBe(1)
      const seen = due
      due = 0
      await new Promise<void>((resolve) => finish.push(resolve))
      looking--
      return seen
    },
    () => undefined,
  )
  onTestFinished(rounds.stop)
  const first = rounds.runOnce()
  await expect.poll(() => finish.length).toBe(1)
  due = 2
  const [second, third] = [rounds.runOnce(), rounds.runOnce()]
  finish[0]?.()
  expect(await first).toBe(1)
  await expect.poll(() => finish.length).toBe(2)
  finish[1]?.()
  expect(await Promise.all([second, third])).toEqual([2, 2])
  expect(finish).toHaveLength(2)
})

test('rounds that fail one after the other say so at first, and then every minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let isAway = true
  const told: unknown[] = []
  const round = async () => {
    if (isAway) throw new Error('nobody answers')
    return 0
  }
  const rounds = startPeriodicTask(1_000, round, (error) => told.push(error))
  onTestFinished(rounds.stop)
  await vi.advanceTimersByTimeAsync(59_000)
  expect(told).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(61_000)
  expect(told).toHaveLength(2)
  isAway = false
  await vi.advanceTimersByTimeAsync(1_000)
  isAway = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(told).toHaveLength(3)
})
