import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { trackPendingRequests } from './pending-requests.ts'

/** A backlog on a clock of its own. */
function watched() {
  let ms = 0
  let turnMs = 0
  const backlog = trackPendingRequests(
    () => ms,
    () => turnMs,
  )
  return {
    ...backlog,
    turnsTake: (each: number) => {
      turnMs = each
    },
    pass: (more: number) => {
      ms += more
    },
    joined: (count: number) => Array.from({ length: count }, () => backlog.add()),
  }
}

/** So many are answered, one after the other, each so many milliseconds after the last. */
function answer({ joined, pass }: ReturnType<typeof watched>, count: number, eachMs: number) {
  for (const place of joined(count)) {
    pass(eachMs)
    place.finish()
  }
}

test('a newcomer waits for those that are here, at the pace at which they are answered', () => {
  const backlog = watched()
  answer(backlog, 900, 2)
  expect(backlog.activeCount()).toBe(0)
  backlog.joined(100)
  expect(backlog.waitMs()).toBeCloseTo(200, 0)
  backlog.joined(150)
  expect(backlog.waitMs()).toBeCloseTo(500, 0)
})

test('a few at once are no queue, however long each takes', () => {
  const backlog = watched()
  answer(backlog, 900, 1_000)
  backlog.joined(20)
  expect(backlog.waitMs()).toBe(0)
})

test('where the event loop is late everybody waits for it several times, however few are here', () => {
  const backlog = watched()
  backlog.turnsTake(60)
  expect(backlog.waitMs()).toBe(300)
  answer(backlog, 900, 2)
  backlog.joined(1_000)
  expect(backlog.waitMs()).toBeCloseTo(2_000, -1)
})

test('a loop that is held up is seen, and forgotten once it turns again', async () => {
  let ms = 0
  const backlog = trackPendingRequests(() => ms)
  const turns = async (count: number, eachMs: number) => {
    for (let turn = 0; turn < count; turn++) {
      backlog.waitMs()
      await turnOfLoop()
      ms += eachMs
    }
  }
  await turns(200, 40)
  expect(backlog.waitMs()).toBeCloseTo(200, 0)
  await turns(400, 0)
  expect(backlog.waitMs()).toBeCloseTo(0, 0)
})

test('who waits for somebody else is not here, and may be answered meanwhile', () => {
  const backlog = watched()
  const places = backlog.joined(200)
  for (const place of places) place.pause()
  expect(backlog.activeCount()).toBe(0)
  expect(backlog.waitMs()).toBe(0)
  const [first, second, ...others] = places
  first?.resume()
  second?.finish()
  second?.resume()
  expect(backlog.activeCount()).toBe(1)
  for (const place of others) place.resume()
  expect(backlog.activeCount()).toBe(199)
})

test('nobody leaves twice', () => {
  const backlog = watched()
  const [place] = backlog.joined(2)
  place?.finish()
  place?.pause()
  place?.finish()
  expect(backlog.activeCount()).toBe(1)
})

test('a time in which nobody was here says nothing of the pace', () => {
  const backlog = watched()
  answer(backlog, 900, 2)
  backlog.pass(3_600_000)
  answer(backlog, 1, 2)
  backlog.joined(100)
  expect(backlog.waitMs()).toBeCloseTo(200, 0)
})
