import { setTimeout as wait } from 'node:timers/promises'
import { collectDefaultMetrics, Gauge } from 'prom-client'
import type { ReplicaState } from '../database/replicas/replica.ts'
import type { World } from '../world.ts'
import { type GaugeName, type GaugeReading, gauges, sources } from './gauges.ts'

/** The database is read at most once in this time, however many scrapers ask. */
const FRESH_MS = 5_000
/** Far below the ten seconds that a scraper usually waits. */
const TIMEOUT_MS = 2_000

type ScrapedWorld = Pick<
  World,
  'run' | 'db' | 'clock' | 'metrics' | 'pendingRequests' | 'connections' | 'clockSkew' | 'replicas'
>

/**
 * Returns a function that returns all metrics in the format of Prometheus. Gauges that the database does not
 * deliver in time are left out and counted as errors.
 */
export function createScraper(world: ScrapedWorld): () => Promise<string> {
  const { registry } = world.metrics
  const registers = [registry]
  const shown = new Map(
    Object.entries(gauges).map(([name, { help, labels }]) => [
      name,
      new Gauge<string>({ name, help, labelNames: [...labels], registers }),
    ]),
  )
  addProcessGauges(world)
  const readings = new Map<string, GaugeReading[]>()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const readAll = async () => {
    const now = world.clock.now()
    // an old value would be wrong now
    readings.clear()
    for (const { name, read } of sources) {
      const found = await read(world, new Date(now)).catch(() => undefined)
      if (found) readings.set(name, found)
    }
    readAt = now
  }
  const refresh = () => {
    reading ??= readAll().finally(() => {
      reading = undefined
    })
    return Promise.race([reading, wait(TIMEOUT_MS, undefined, { ref: false })])
  }
  return async () => {
    if (world.clock.now() - readAt >= FRESH_MS || world.clock.now() < readAt) await refresh()
    for (const gauge of shown.values()) gauge.reset()
    for (const { name } of sources) {
      const found = readings.get(name)
      if (!found) world.metrics.scrapeFailed(name)
      for (const { gauge, labels = {}, value } of found ?? [])
        shown.get(gauge satisfies GaugeName)?.set(labels, value)
    }
    return registry.metrics()
  }
}

/** One value for each read replica, whose label is its host and database. */
const replicaGauges: readonly { name: string; help: string; value: (state: ReplicaState) => number }[] = [
  {
    name: 'railyard_replica_used',
    help: '1: reads go to this read replica; 0: they go to the others or to the primary',
    value: ({ problem }) => (problem === undefined ? 1 : 0),
  },
  {
    name: 'railyard_replica_lag_seconds',
    help: 'Age of the oldest change of the primary that this read replica does not show',
    value: ({ seconds }) => seconds,
  },
  {
    name: 'railyard_replica_lag_bytes',
    help: 'The part of the primary’s log that this read replica has not replayed',
    value: ({ bytes }) => bytes,
  },
]

/**
 * Gauges of the process itself. Added with the first scrape, because measuring the delay of the event loop
 * needs a timer.
 */
function addProcessGauges({ metrics: { registry }, ...world }: ScrapedWorld): void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'railyard_database_connections',
    help: 'Connections to the database, and statements that wait for one',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = world.connections()
      this.set({ state: 'used' }, total - idle)
      this.set({ state: 'idle' }, idle)
      this.set({ state: 'waiting' }, waiting)
    },
  })
  for (const { name, help, value } of replicaGauges)
    new Gauge({
      name,
      help,
      labelNames: ['replica'],
      registers,
      collect() {
        for (const state of world.replicas.states()) this.set({ replica: state.name }, value(state))
      },
    })
  new Gauge({
    name: 'railyard_backlog_seconds',
    help: 'How long a request that comes now is likely to be with this process and its database',
    registers,
    collect() {
      this.set(world.pendingRequests.waitMs() / 1_000)
    },
  })
  new Gauge({
    name: 'railyard_clock_skew_seconds',
    help: 'How far the clock of this machine is ahead of the database server’s',
    registers,
    collect() {
      this.set(world.clockSkew() / 1_000)
    },
  })
}
