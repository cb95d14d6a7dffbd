import { expect, test } from 'vitest'
import { names } from './webhooks/receivers.ts'
import { runWebhookProof } from './webhooks/webhook-proof.ts'

const database = process.env['DATABASE_URL'] ? 'postgres' : 'embedded'
const seed = Date.now() % 1_000_000
// each life of an embedded instance begins with seconds of processor time, and there is one process at a time
const strikes = database === 'embedded' ? { events: 150, kills: 1 } : { events: 300, kills: 3 }

test(`killed while they send, processes tell every receiver everything, in order: one that fails, one that hangs and one that was down for six days, too (seed ${seed})`, async () => {
  const { findings, events, deliveries, kills } = await runWebhookProof({ ...strikes, database, seed })
  expect(findings).toEqual([])
  expect(kills).toBe(strikes.kills)
  expect(events).toBeGreaterThanOrEqual(strikes.events)
  expect(deliveries).toBe(events * names.length)
}, 480_000)
