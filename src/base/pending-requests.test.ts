import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { trackPendingRequests } from './pending-requests.ts'

/** Pending requests on a clock and an event loop of the test. */
function trackInTest() {
  let ms = 0
  let turnMs = 0
  const pending = trackPendingRequests(
    () => ms,
    () => turnMs,
  )
  return {
    ...pending,
    setTurnMs: (each: number) => {
      turnMs = each
    },
    pass: (more: number) => {
      ms += more
    },
    addMany: (count: number) => Array.from({ length: count }, () => pending.add()),
  }
}

/** Answers requests one after the other, each this many milliseconds after the last. */
function answer({ addMany, pass }: ReturnType<typeof trackInTest>, count: number, eachMs: number) {
  for (const request of addMany(count)) {
    pass(eachMs)
    request.finish()
  }
}

test('a new request waits for all active ones, at the pace at which they are answered', () => {
  const pending = trackInTest()
  answer(pending, 900, 2)
  expect(pending.activeCount()).toBe(0)
  pending.addMany(100)
  expect(pending.waitMs()).toBeCloseTo(200, 0)
  pending.addMany(150)
  expect(pending.waitMs()).toBeCloseTo(500, 0)
})

test('a few active requests cause no wait, however long each takes', () => {
  const pending = trackInTest()
  answer(pending, 900, 1_000)
  pending.addMany(20)
  expect(pending.waitMs()).toBe(0)
})

test('a slow event loop makes a request wait several turns, unless only a few are active', () => {
  const pending = trackInTest()
  pending.setTurnMs(60)
  pending.addMany(32)
  expect(pending.waitMs()).toBe(0)
  pending.addMany(1)
  expect(pending.waitMs()).toBe(300)
  answer(pending, 900, 2)
  pending.addMany(1_000)
  expect(pending.waitMs()).toBeCloseTo(2_066, -1)
})

test('a slow event loop raises the estimate, which falls again once the loop is fast', async () => {
  let ms = 0
  const pending = trackPendingRequests(() => ms)
  for (let active = 0; active < 33; active++) pending.add()
  const turns = async (count: number, eachMs: number) => {
    for (let turn = 0; turn < count; turn++) {
      pending.waitMs()
      await turnOfLoop()
      ms += eachMs
    }
  }
  await turns(200, 40)
  expect(pending.waitMs()).toBeCloseTo(200, 0)
  await turns(400, 0)
  expect(pending.waitMs()).toBeCloseTo(33, 0)
})

test('a paused request is not active, and may be finished while it is paused', () => {
  const pending = trackInTest()
  const requests = pending.addMany(200)
  for (const request of requests) request.pause()
  expect(pending.activeCount()).toBe(0)
  expect(pending.waitMs()).toBe(0)
  const [first, second, ...others] = requests
  first?.resume()
  second?.finish()
  second?.resume()
  expect(pending.activeCount()).toBe(1)
  for (const request of others) request.resume()
  expect(pending.activeCount()).toBe(199)
})

test('a finished request cannot be paused or finished again', () => {
  const pending = trackInTest()
  const [request] = pending.addMany(2)
  request?.finish()
  request?.pause()
  request?.finish()
  expect(pending.activeCount()).toBe(1)
})

test('an idle time does not change the pace', () => {
  const pending = trackInTest()
  answer(pending, 900, 2)
  pending.pass(3_600_000)
  answer(pending, 1, 2)
  pending.addMany(100)
  expect(pending.waitMs()).toBeCloseTo(200, 0)
})
