import { expect, test } from 'vitest'
import { names } from './webhooks/receivers.ts'
import { show } from './webhooks/show.ts'

const database = process.env['DATABASE_URL'] ? 'postgres' : 'embedded'
const seed = Date.now() % 1_000_000

test(`killed while they send, processes tell every receiver everything, in order: one that fails, one that hangs and one that was down for six days, too (seed ${seed})`, async () => {
  const { findings, events, deliveries, kills } = await show({ events: 300, kills: 3, database, seed })
  expect(findings).toEqual([])
  expect(kills).toBe(3)
  expect(events).toBeGreaterThanOrEqual(300)
  expect(deliveries).toBe(events * names.length)
}, 240_000)
