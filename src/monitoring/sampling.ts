import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { namedStatement } from '../database/named-statement.ts'
import { claimDue, type DueRows, selectDueSql } from '../database/rows/select-due.ts'
import type { World } from '../world.ts'
import { type AuthRateCounts, measureAuthRate } from './auth-rate.ts'
import { afterSample } from './debounce.ts'
import { closeIncident, openIncident, openIncidentOf } from './incident.store.ts'
import { authRate, isHealthy, type MetricRow, minuteAfter, minuteOf } from './metric.ts'

/** Metrics that a process measures at once: few of its connections. */
const BATCH = 4

/**
 * Longer than the database lets a query run. After a crash another process measures the metric when the lease
 * has ended.
 */
const LEASE_MS = 60_000

/** The account's clock says which samples are due, and the machine's clock which leases have ended. */
const dueMetrics: DueRows = {
  table: 'monitoring_metrics',
  key: ['id'],
  condition: (now, machineNow) => `deleted_at is null
     and next_sample_at <= ${now}::timestamptz
     and (leased_until is null or leased_until <= ${machineNow}::timestamptz)`,
  orderBy: 'next_sample_at',
}

const leaseDueMetrics = namedStatement(
  ['account', 'ids', 'now', 'machineNow', 'leasedUntil', 'limit'],
  (p) => `
update monitoring_metrics m
   set leased_until = ${p.leasedUntil}::timestamptz
  from (${selectDueSql(dueMetrics, { ...p, keys: [p.ids], values: [p.now, p.machineNow] })}) due
 where m.merchant_account_id = ${p.account}
   and m.merchant_account_id = due.merchant_account_id
   and m.id = due.id
returning m.*`,
)

/** Takes the samples that are due, every few seconds in each process; the row of a metric is its job. */
export const startMonitoring = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => takeSamples(world, stopped)),
    (error) => world.log.error({ err: error }, 'due metrics could not be read; the next round tries again'),
  )

/**
 * Takes one sample of each metric that has none of the present minute. If no process ran for a while, the
 * samples of those minutes are missing. Answers how many samples were taken.
 */
export async function takeSamples(world: World, stopped: () => boolean = () => false): Promise<number> {
  let taken = 0
  while (!stopped()) {
    const now = world.clock.now()
    const machineNow = world.machineClock.now()
    const times = [new Date(now).toISOString(), new Date(machineNow).toISOString()]
    const leasedUntil = new Date(machineNow + LEASE_MS).toISOString()
    const due = await claimDue(
      world.run,
      dueMetrics,
      { values: times, limit: BATCH },
      (account, [ids], limit) =>
        leaseDueMetrics.run<MetricRow>(world, {
          account,
          ids,
          now: times[0],
          machineNow: times[1],
          leasedUntil,
          limit,
        }),
    )
    const samples = await Promise.all(due.map((metric) => takeSample(world, metric, minuteOf(now))))
    taken += samples.filter((isTaken) => isTaken).length
    if (due.length < BATCH) break
  }
  return taken
}

/** False: no sample was taken. If the metric still exists, it is tried again when the lease has ended. */
async function takeSample(world: World, metric: MetricRow, at: number): Promise<boolean> {
  try {
    const counts = await measureAuthRate(world, metric.merchant_account_id, metric.spec, at)
    return await recordSample(world, metric, at, counts)
  } catch (error) {
    world.log.error(
      { err: error, account: metric.merchant_account_id, metric: metric.id },
      'a sample of a metric could not be taken',
    )
    return false
  }
}

/**
 * Writes a sample and opens or closes the metric's incident, in one commit. Writes nothing if the metric does
 * not wait for this sample any more: the lease may have ended, and another process may have taken it. The
 * policies are those of the locked row, which may have changed since the lease.
 */
const recordSample = (
  world: World,
  leased: MetricRow,
  at: number,
  counts: AuthRateCounts,
): Promise<boolean> =>
  world.db.transaction().execute(async (db) => {
    const { merchant_account_id: account, id } = leased
    const metric = await db
      .selectFrom('monitoring_metrics')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('next_sample_at', '=', leased.next_sample_at)
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!metric) return false
    const open = await openIncidentOf(db, metric)
    const healthy = isHealthy(authRate(counts), metric.alerting_policy)
    const { change, streak } = afterSample(
      { open: open !== undefined, streak: metric.streak },
      healthy,
      metric.incident_policy,
    )
    if (change === 'closed' && open) await closeIncident(db, world, account, open.id)
    const incident = change === 'opened' ? await openIncident(db, world, metric) : (open?.id ?? null)
    await db
      .insertInto('monitoring_samples')
      .values({
        merchant_account_id: account,
        metric_id: id,
        taken_at: new Date(at).toISOString(),
        ...counts,
        healthy,
        incident_id: incident,
      })
      .execute()
    await db
      .updateTable('monitoring_metrics')
      .set({ next_sample_at: minuteAfter(at), leased_until: null, streak })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .execute()
    return true
  })
