import { type Selectable, sql } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { PaymentServiceCircuitTable } from '../../database/tables/services.ts'
import type { World } from '../../world.ts'
import { BUCKET_MS, type CallBucket, SLOTS, WINDOW_MS } from './call-window.ts'
import { type Circuit, closedCircuit, type UnhealthyCircuit } from './circuit.ts'
import { showHealth } from './payment-service-health.representation.ts'

type CircuitRow = Selectable<PaymentServiceCircuitTable>

export interface ServiceKey {
  account: string
  service: string
}

/** The health of a payment service as the database has it. */
export interface ServiceHealth extends ServiceKey {
  circuit: Circuit
  /** Of the row that the circuit was read from; 0: it has none yet. */
  version: number
  buckets: CallBucket[]
}

/**
 * Adds a bucket of this process to those of the others. A bucket that began earlier than the one in its slot
 * is too old to be of use.
 */
const addBuckets = `
insert into payment_service_calls as recorded
       (merchant_account_id, payment_service_id, slot, starts_at, calls, failed, slow, total_ms, latencies)
select account, service, slot, starts_at, calls, failed, slow, total_ms, latencies
  from jsonb_to_recordset($1::jsonb) as new (
       account text, service uuid, slot smallint, starts_at timestamptz, calls int, failed int, slow int, total_ms bigint, latencies int[])
 order by account, service, slot
    on conflict (merchant_account_id, payment_service_id, slot) do update
   set starts_at = excluded.starts_at,
       calls = excluded.calls + case when recorded.starts_at = excluded.starts_at then recorded.calls else 0 end,
       failed = excluded.failed + case when recorded.starts_at = excluded.starts_at then recorded.failed else 0 end,
       slow = excluded.slow + case when recorded.starts_at = excluded.starts_at then recorded.slow else 0 end,
       total_ms = excluded.total_ms + case when recorded.starts_at = excluded.starts_at then recorded.total_ms else 0 end,
       latencies = case
         when recorded.starts_at = excluded.starts_at
         then (select array_agg(a + b order by index) from unnest(recorded.latencies, excluded.latencies) with ordinality as both_of (a, b, index))
         else excluded.latencies
       end
 where recorded.starts_at <= excluded.starts_at`

/** Adds the calls that a process counted, in one statement for all payment services. */
export async function addCalls(
  { run }: Pick<World, 'run'>,
  counted: readonly (ServiceKey & { buckets: readonly CallBucket[] })[],
): Promise<void> {
  const rows = counted.flatMap(({ account, service, buckets }) =>
    latestBySlot(buckets).map((bucket) => ({ account, service, ...columnsOf(bucket) })),
  )
  if (rows.length > 0) await run(addBuckets, [JSON.stringify(rows)])
}

const slotOf = ({ startsAt }: CallBucket) => (startsAt / BUCKET_MS) % SLOTS

/** A statement can write a row once: of two buckets with the same slot only the newer one is of use. */
const latestBySlot = (buckets: readonly CallBucket[]): CallBucket[] => [
  ...new Map(
    buckets.toSorted((a, b) => a.startsAt - b.startsAt).map((bucket) => [slotOf(bucket), bucket]),
  ).values(),
]

const columnsOf = (bucket: CallBucket) => ({
  slot: slotOf(bucket),
  starts_at: new Date(bucket.startsAt).toISOString(),
  calls: bucket.calls,
  failed: bucket.failed,
  slow: bucket.slow,
  total_ms: Math.round(bucket.totalMs),
  latencies: bucket.latencies,
})

const selectCircuits = namedStatement(
  ['accounts', 'services'],
  (p) => `
select row_to_json(c) as circuit
  from payment_service_circuits c
 where (merchant_account_id, payment_service_id) in (select * from unnest(${p.accounts}::text[], ${p.services}::uuid[]))`,
)

const selectBuckets = namedStatement(
  ['accounts', 'services', 'from'],
  (p) => `
select row_to_json(b) as bucket
  from payment_service_calls b
 where (merchant_account_id, payment_service_id) in (select * from unnest(${p.accounts}::text[], ${p.services}::uuid[]))
   and starts_at > ${p.from}::timestamptz`,
)

interface BucketRow {
  merchant_account_id: string
  payment_service_id: string
  starts_at: string
  calls: number
  failed: number
  slow: number
  total_ms: number
  latencies: number[]
}

/** Circuits and the calls of the last minute, of all processes. */
export async function readHealth(
  { run, machineClock }: Pick<World, 'run' | 'machineClock'>,
  keys: readonly ServiceKey[],
): Promise<ServiceHealth[]> {
  if (keys.length === 0) return []
  const from = new Date(machineClock.now() - WINDOW_MS).toISOString()
  const accounts = keys.map(({ account }) => account)
  const services = keys.map(({ service }) => service)
  // before the calls: a circuit that another process moves meanwhile has another version when it is written
  const circuits = await selectCircuits.run<{ circuit: CircuitRow }>({ run }, { accounts, services })
  const buckets = await selectBuckets.run<{ bucket: BucketRow }>({ run }, { accounts, services, from })
  const keyOf = (row: Pick<BucketRow, 'merchant_account_id' | 'payment_service_id'>) =>
    `${row.merchant_account_id} ${row.payment_service_id}`
  const circuitOf = new Map(circuits.map(({ circuit }) => [keyOf(circuit), circuit]))
  const bucketsOf = Map.groupBy(
    buckets.map(({ bucket }) => bucket),
    keyOf,
  )
  return keys.map(({ account, service }) => {
    const key = keyOf({ merchant_account_id: account, payment_service_id: service })
    const circuit = circuitOf.get(key)
    return {
      account,
      service,
      circuit: circuit ? toCircuit(circuit) : closedCircuit,
      version: circuit?.version ?? 0,
      buckets: (bucketsOf.get(key) ?? []).map(({ starts_at, total_ms, calls, failed, slow, latencies }) => ({
        calls,
        failed,
        slow,
        latencies,
        startsAt: Date.parse(starts_at),
        totalMs: total_ms,
      })),
    }
  })
}

/**
 * The payment services of an account whose circuit is not closed, by their ids; as a rule there are none.
 * Cached, since each payment reads them.
 */
export const unhealthyCircuits = (
  world: World,
  account: string,
): Promise<ReadonlyMap<string, UnhealthyCircuit>> =>
  world.cache.get('payment_service_health', account, async () => {
    const rows = await world.db
      .selectFrom('payment_service_circuits')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('state', '<>', 'closed')
      .execute()
    return new Map(rows.flatMap((row) => unhealthyEntries(row)))
  })

function unhealthyEntries(row: CircuitRow): [string, UnhealthyCircuit][] {
  const circuit = toCircuit(row)
  return circuit.state === 'closed' ? [] : [[row.payment_service_id, circuit]]
}

function toCircuit({ state, openings, good_probes: goodProbes, ...row }: CircuitRow): Circuit {
  const since = Date.parse(row.since)
  const nextProbeAt = row.next_probe_at === null ? since : Date.parse(row.next_probe_at)
  switch (state) {
    case 'closed':
      return { state, since }
    case 'open':
      return { state, since, nextProbeAt, openings }
    case 'half_open':
      return { state, since, nextProbeAt, openings, goodProbes }
  }
}

/**
 * Moves the circuit from the state that was read to `next`, and in the same commit writes the event that it
 * became unhealthy or healthy. False: another process has moved it.
 */
export async function moveCircuit(
  world: World,
  { account, service, circuit, version, buckets }: ServiceHealth,
  next: Circuit,
): Promise<boolean> {
  const columns = {
    state: next.state,
    since: new Date(next.since).toISOString(),
    next_probe_at: next.state === 'closed' ? null : new Date(next.nextProbeAt).toISOString(),
    openings: next.state === 'closed' ? 0 : next.openings,
    good_probes: next.state === 'half_open' ? next.goodProbes : 0,
    version: version + 1,
  }
  return world.db.transaction().execute(async (db) => {
    const moved = await db
      .insertInto('payment_service_circuits')
      .values({ merchant_account_id: account, payment_service_id: service, ...columns })
      .onConflict((conflict) =>
        conflict
          .columns(['merchant_account_id', 'payment_service_id'])
          .doUpdateSet(columns)
          .where('payment_service_circuits.version', '=', version),
      )
      .returning('payment_service_id')
      .executeTakeFirst()
    const name = moved && healthEventName(circuit, next)
    const target = {
      id: service,
      ...showHealth(
        { account, service, circuit: next, buckets },
        { now: world.machineClock.now(), since: columns.since },
      ),
    }
    if (name) await recordEvent(db, world, { account, name, target })
    return moved !== undefined
  })
}

/** Null: it stays healthy, or unhealthy. */
function healthEventName(before: Circuit, after: Circuit): string | null {
  if (before.state === 'closed') return after.state === 'closed' ? null : 'payment-service.unhealthy'
  return after.state === 'closed' ? 'payment-service.healthy' : null
}

/**
 * Gives one payment, among those of all processes, the right to probe a payment service until `until`
 * (milliseconds since 1970). Undefined: another payment has it, or the service is not due for a probe.
 */
export async function leaseProbe(
  world: World,
  { account, service }: ServiceKey,
  until: number,
): Promise<Circuit | undefined> {
  const now = timeOf(world.machineClock)
  const row = await world.db
    .updateTable('payment_service_circuits')
    .set({
      state: 'half_open',
      since: sql`case when state = 'open' then ${now}::timestamptz else since end`,
      next_probe_at: new Date(until).toISOString(),
      good_probes: sql`case when state = 'open' then 0 else good_probes end`,
      version: sql`version + 1`,
    })
    .where('merchant_account_id', '=', account)
    .where('payment_service_id', '=', service)
    .where('state', '<>', 'closed')
    .where('next_probe_at', '<=', now)
    .returningAll()
    .executeTakeFirst()
  return row && toCircuit(row)
}
