import { afterAll, expect, test } from 'vitest'
import { takeSamples } from '../../src/monitoring/sampling.ts'
import { startRailyard } from '../../src/process/railyard.ts'
import type { World } from '../../src/world.ts'
import { watch } from '../support/domains/monitoring.ts'
import { readEvents } from '../support/events.ts'
import { openShop } from '../support/shop.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

// Two servers on one PostgreSQL take the samples of the same metrics.
const first = await startRailyardForFile()
const second = await startRailyard(
  { ...first.world.settings, sandboxUrl: first.simulatorUrl },
  { clock: first.clock, log: first.world.log, inMemory: true },
)
await Promise.all([first.monitoring.stop(), second.monitoring.stop()])
const shop = await openShop(first)
afterAll(() => second.close())

/** A server for which it stays the same minute. */
const at = (now: number, world: World): World => ({ ...world, clock: { now: () => now } })

test('two servers take one sample of a metric a minute, with one incident and one event', async () => {
  const metrics = await Promise.all(
    Array.from({ length: 40 }, () =>
      watch(shop, { incident_policy: { params: { create_after_n: 1, close_after_n: 1 } } }),
    ),
  )
  await shop.pay(200_011)
  first.clock.advance(60_000)
  const now = first.clock.now()
  const servers = [first.world, second.world, first.world, second.world]
  const taken = await Promise.all(servers.map((world) => takeSamples(at(now, world))))
  expect(taken.reduce((sum, one) => sum + one)).toBe(metrics.length)
  const { db } = first.world
  const samples = await db.selectFrom('monitoring_samples').select(['metric_id', 'healthy']).execute()
  expect(new Set(samples.map(({ metric_id }) => metric_id))).toEqual(new Set(metrics))
  expect(samples.filter(({ healthy }) => healthy === false)).toHaveLength(metrics.length)
  const incidents = await db.selectFrom('monitoring_incidents').select('metric_id').execute()
  expect(new Set(incidents.map(({ metric_id }) => metric_id))).toEqual(new Set(metrics))
  expect(incidents).toHaveLength(metrics.length)
  const events = (await readEvents(first, shop)).filter(({ name }) => name === 'monitoring.incident.created')
  expect(events).toHaveLength(metrics.length)
})
