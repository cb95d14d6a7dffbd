import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import type { World } from '../world.ts'
import { type AuthRateCounts, measureAuthRate } from './auth-rate.ts'
import { afterSample } from './debounce.ts'
import { closeIncident, openIncident, openIncidentOf } from './incident.store.ts'
import { authRate, isHealthy, type MetricRow, minuteAfter, minuteOf } from './metric.ts'

/** How many metrics of a process are measured at once: a small part of its connections. */
const BATCH = 4

/** Longer than the database lets a query run; what a process that died had leased is taken up again a minute later. */
const LEASE_MS = 60_000

/** Across accounts: whose turn it is. */
const claimDueMetrics = `
update monitoring_metrics m set leased_until = $2::timestamptz
  from (select merchant_account_id, id from monitoring_metrics
         where deleted_at is null and next_sample_at <= $1::timestamptz and (leased_until is null or leased_until <= $5::timestamptz)
           and ${isInCurrentTimeSql('merchant_account_id', 3)}
         order by next_sample_at limit ${BATCH} for update skip locked) due
 where m.merchant_account_id = due.merchant_account_id and m.id = due.id
returning m.*`

/** Takes the samples that are due, in every process, every few seconds; the row of a metric is its job. Answers how many were taken. */
export const startMonitoring = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => takeSamples(world, stopped)),
    (error) => world.log.error({ err: error }, 'metrics that are due could not be read'),
  )

/** One sample of each metric that has none of the present minute. Those of minutes in which nobody looked stay away. */
export async function takeSamples(world: World, stopped: () => boolean = () => false): Promise<number> {
  let taken = 0
  while (!stopped()) {
    const now = world.clock.now()
    const machineNow = world.machineClock.now()
    const due = await world.run<MetricRow>(claimDueMetrics, [
      new Date(now).toISOString(),
      new Date(machineNow + LEASE_MS).toISOString(),
      ...currentTimeValues(),
      new Date(machineNow).toISOString(),
    ])
    const samples = await Promise.all(due.map((metric) => takeSample(world, metric, minuteOf(now))))
    taken += samples.filter((isTaken) => isTaken).length
    if (due.length < BATCH) break
  }
  return taken
}

/** False: it was not taken, and if the metric is still there it is tried again when the lease has ended. */
async function takeSample(world: World, metric: MetricRow, at: number): Promise<boolean> {
  try {
    const tally = await measureAuthRate(world, metric.merchant_account_id, metric.spec, at)
    return await recordSample(world, metric, at, tally)
  } catch (error) {
    world.log.error({ err: error, account: metric.merchant_account_id, metric: metric.id }, 'a sample of a metric could not be taken')
    return false
  }
}

/**
 * Writes a sample and what it means for the metric's incident in one commit. It counts only if the metric still waits for the sample that was claimed: one whose lease
 * ended on the way may have been taken by another process. Judged by the policies of the locked row, which may have changed since.
 */
const recordSample = (world: World, claimed: MetricRow, at: number, tally: AuthRateCounts): Promise<boolean> =>
  world.db.transaction().execute(async (db) => {
    const { merchant_account_id: account, id } = claimed
    const metric = await db
      .selectFrom('monitoring_metrics')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('next_sample_at', '=', claimed.next_sample_at)
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!metric) return false
    const open = await openIncidentOf(db, metric)
    const healthy = isHealthy(authRate(tally), metric.alerting_policy)
    const { change, streak } = afterSample({ open: open !== undefined, streak: metric.streak }, healthy, metric.incident_policy)
    if (change === 'closed' && open) await closeIncident(db, world, account, open.id)
    const incident = change === 'opened' ? await openIncident(db, world, metric) : (open?.id ?? null)
    await db
      .insertInto('monitoring_samples')
      .values({ merchant_account_id: account, metric_id: id, taken_at: new Date(at).toISOString(), ...tally, healthy, incident_id: incident })
      .execute()
    await db
      .updateTable('monitoring_metrics')
      .set({ next_sample_at: minuteAfter(at), leased_until: null, streak })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .execute()
    return true
  })
