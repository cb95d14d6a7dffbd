import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Statements } from '../statements.ts'
import { makeSharedHorizon } from './shared-horizon.ts'

/** A database that answers the questions for its horizon when a test says so. */
function startHorizons() {
  const questions: PromiseWithResolvers<{ horizon: number }[]>[] = []
  const run = () => {
    questions.push(Promise.withResolvers())
    return questions.at(-1)?.promise
  }
  return {
    shared: makeSharedHorizon({ run: run as unknown as Statements }),
    questions,
    answer: (horizon: number) => questions.at(-1)?.resolve([{ horizon }]),
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('readers share a question until its answer is no more recent', async () => {
  const { shared, questions, answer } = startHorizons()
  const asked = [shared.recent(), shared.recent(), shared.recent()]
  answer(7)
  expect(await Promise.all(asked)).toEqual([7, 7, 7])
  vi.advanceTimersByTime(24)
  expect(await shared.recent()).toBe(7)
  expect(questions).toHaveLength(1)
  vi.advanceTimersByTime(1)
  const next = shared.recent()
  answer(8)
  expect(await next).toBe(8)
})

test('a reader that needs the newest rows asks, also beside another question', async () => {
  const { shared, questions, answer } = startHorizons()
  const recent = shared.recent()
  answer(7)
  await recent
  const renewed = shared.renew()
  answer(8)
  expect(await renewed).toBe(8)
  expect(await shared.recent()).toBe(8)
  expect(questions).toHaveLength(2)
})

test('an answer that took long is recent for longer, but not for more than 250 ms', async () => {
  const { shared, questions, answer } = startHorizons()
  const slow = shared.recent()
  vi.advanceTimersByTime(2_000)
  answer(7)
  await slow
  vi.advanceTimersByTime(249)
  expect(await shared.recent()).toBe(7)
  vi.advanceTimersByTime(1)
  void shared.recent()
  expect(questions).toHaveLength(2)
})

test('after a failure the next reader asks anew', async () => {
  const { shared, questions, answer } = startHorizons()
  const failed = shared.recent()
  questions[0]?.reject(new Error('connection lost'))
  await expect(failed).rejects.toThrow('connection lost')
  const next = shared.recent()
  answer(9)
  expect(await next).toBe(9)
})
