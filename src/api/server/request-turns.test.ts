import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { handleInTurns } from './request-turns.ts'

const arrive = (handle: ReturnType<typeof handleInTurns>, id: number) =>
  handle({ id } as unknown as IncomingMessage, {} as ServerResponse)

test('of many requests in a turn the first are handled as they are read, and all in their order once everything is read', async () => {
  const handled: unknown[] = []
  const handle = handleInTurns((request) => handled.push((request as unknown as { id: number }).id))
  const all = Array.from({ length: 1_000 }, (_, id) => id)
  for (const id of all) arrive(handle, id)
  expect(handled).toEqual(all.slice(0, 64))
  await turnOfLoop()
  expect(handled).toEqual(all)
  arrive(handle, 1_000)
  expect(handled).toHaveLength(1_001)
})

test('a request that is repeated as soon as it is answered is handled 64 times in a turn, and no more', async () => {
  let answered = 0
  const handle = handleInTurns(() => {
    answered += 1
    if (answered < 10_000) arrive(handle, answered)
  })
  arrive(handle, 0)
  expect(answered).toBe(64)
  await turnOfLoop()
  expect(answered).toBeLessThanOrEqual(129)
})
