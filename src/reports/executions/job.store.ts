import { randomUUID } from 'node:crypto'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { QueryResultRow } from 'pg'
import { timeOf } from '../../base/clock.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { claimDue, type DueRows, selectDueSql } from '../../database/rows/select-due.ts'
import type { ReportSchedule, ReportTable } from '../../database/tables/reports.ts'
import type { Tables } from '../../database/tables.ts'
import { VISIBLE_AFTER_MS } from '../../database/timeouts.ts'
import type { World } from '../../world.ts'
import type { ReportContext } from '../date-window.ts'
import { showExecution } from '../report.representation.ts'
import type { ReportSpec } from '../report.schema.ts'
import { nextExecution } from '../report.ts'
import { isTimeZone } from '../schedule.ts'
import { findExecution, insertExecution } from './execution.store.ts'

/** An execution that this process has leased. */
export interface Job {
  account: string
  id: string
  lease: string
  /** From 1. */
  attempt: number
  spec: ReportSpec
  schedule: ReportSchedule
  context: ReportContext
}

/** How long a process has a job before it must renew its lease. */
const LEASE_MS = 60_000

const SCHEDULE_BATCH = 50

export const leaseEnd = ({ clock }: Pick<World, 'clock'>): string =>
  new Date(clock.now() + LEASE_MS).toISOString()

const dueSchedules: DueRows = {
  table: 'reports',
  key: ['id'],
  condition: (now) => `schedule_enabled and next_execution_at <= ${now}::timestamptz`,
  orderBy: 'next_execution_at',
}

/**
 * Creates the executions of the schedules that are due; answers how many. If no process has run for a while,
 * each period that has passed gets its execution.
 */
export async function scheduleDue(world: World): Promise<number> {
  const now = timeOf(world.clock)
  let count = 0
  for (;;) {
    const scheduled = await claimDue(
      world.run,
      dueSchedules,
      { values: [now], limit: SCHEDULE_BATCH },
      (account, [ids = []], limit) =>
        world.db.transaction().execute((db) => scheduleBatch(db, world, { account, ids, now, limit })),
    )
    count += scheduled.length
    if (scheduled.length === 0) return count
  }
}

interface ScheduleBatch {
  account: string
  ids: readonly string[]
  now: string
  limit: number
}

async function scheduleBatch(
  db: Kysely<Tables>,
  world: World,
  { account, ids, now, limit }: ScheduleBatch,
): Promise<Selectable<ReportTable>[]> {
  const found = await db
    .selectFrom('reports')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('schedule_enabled', '=', true)
    .where('next_execution_at', '<=', now)
    .orderBy('next_execution_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  // a process with a newer Node may have accepted a new time zone, and makes the report
  const due = found.filter(({ schedule_timezone: zone }) => isKnownZone(world, zone))
  for (const report of due) {
    const reference = report.next_execution_at ?? now
    const at = Date.parse(reference)
    // later than the period's end: by then everything that is dated in the period is committed
    await insertExecution(db, world, report, {
      reference,
      due: new Date(at + VISIBLE_AFTER_MS).toISOString(),
    })
    await db
      .updateTable('reports')
      .set({ next_execution_at: nextExecution(report.schedule, report.schedule_timezone, at) })
      .where('merchant_account_id', '=', account)
      .where('id', '=', report.id)
      .execute()
  }
  return due
}

const unknownZones = new Set<string>()

/** False is logged once in a process: rounds follow each other every second. */
function isKnownZone({ log }: World, zone: string): boolean {
  if (isTimeZone(zone)) return true
  if (!unknownZones.has(zone))
    log.error(
      { time_zone: zone },
      'this process makes no reports in a time zone that its Node does not know: update Node',
    )
  unknownZones.add(zone)
  return false
}

const dueExecutions: DueRows = {
  table: 'report_executions',
  key: ['id'],
  condition: (now) => `due_at <= ${now}::timestamptz`,
  orderBy: 'due_at',
}

const leaseNextDue = namedStatement(
  ['account', 'ids', 'now', 'lease', 'leasedUntil', 'limit'],
  (p) => `
with due as (${selectDueSql(dueExecutions, { ...p, keys: [p.ids], values: [p.now] })}
), leased as (
  update report_executions e
     set status = 'dispatched',
         attempts = e.attempts + 1,
         lease = ${p.lease}::uuid,
         due_at = ${p.leasedUntil}::timestamptz,
         updated_at = ${p.now}::timestamptz
    from due
   where e.merchant_account_id = ${p.account}
     and e.merchant_account_id = due.merchant_account_id
     and e.id = due.id
  returning e.*
)
select e.merchant_account_id as account, e.id, e.lease, e.attempts as attempt, r.spec, r.schedule,
       json_build_object('reference_timestamp', e.reference_timestamp, 'reference_timezone', e.reference_timezone) as context
  from leased e
  join reports r
    on r.merchant_account_id = ${p.account}
   and r.id = e.report_id`,
)

/** Leases an execution that waits, or whose lease has ended. Undefined: there is none. */
export async function claimJob(world: Pick<World, 'run' | 'clock'>): Promise<Job | undefined> {
  const now = timeOf(world.clock)
  const lease = randomUUID()
  const leasedUntil = leaseEnd(world)
  const [job] = await claimDue(
    world.run,
    dueExecutions,
    { values: [now], limit: 1 },
    (account, [ids], limit) =>
      leaseNextDue.run<Job & QueryResultRow>(world, { account, ids, now, lease, leasedUntil, limit }),
  )
  return job
}

const markProcessing = namedStatement(
  ['account', 'execution', 'lease', 'now'],
  (p) => `
with leased as (
  update report_executions
     set status = 'processing',
         updated_at = ${p.now}::timestamptz
   where merchant_account_id = ${p.account}
     and id = ${p.execution}
     and lease = ${p.lease}
  returning id
), deleted as (
  delete from report_chunks c
   using leased
   where c.merchant_account_id = ${p.account}
     and c.report_execution_id = leased.id
)
select id from leased`,
)

/**
 * Marks a job as processing, and deletes the chunks that an earlier attempt has left. False: the lease is
 * lost.
 */
export const beginJob = async (
  world: Pick<World, 'run' | 'clock'>,
  { account, id, lease }: Job,
): Promise<boolean> =>
  (await markProcessing.run(world, { account, execution: id, lease, now: timeOf(world.clock) })).length > 0

const updateLease = namedStatement(
  ['account', 'execution', 'lease', 'leasedUntil'],
  (p) => `
update report_executions
   set due_at = ${p.leasedUntil}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.execution}
   and lease = ${p.lease}`,
)

export const renewLease = async (
  world: Pick<World, 'run' | 'clock'>,
  { account, id, lease }: Job,
): Promise<void> =>
  void (await updateLease.run(world, { account, execution: id, lease, leasedUntil: leaseEnd(world) }))

const returnToPending = namedStatement(
  ['account', 'execution', 'lease', 'due', 'now', 'uncountedAttempts'],
  (p) => `
update report_executions
   set status = 'pending',
       lease = null,
       due_at = ${p.due}::timestamptz,
       updated_at = ${p.now}::timestamptz,
       attempts = attempts - ${p.uncountedAttempts}::int
 where merchant_account_id = ${p.account}
   and id = ${p.execution}
   and lease = ${p.lease}`,
)

/**
 * Releases a job; it is due again in `ms` milliseconds. `stopped`: the process stops, so that the attempt
 * does not count. `failed`: it counts.
 */
export async function releaseJob(
  world: Pick<World, 'run' | 'clock'>,
  { account, id, lease }: Job,
  ms: number,
  reason: 'failed' | 'stopped',
): Promise<void> {
  const due = new Date(world.clock.now() + ms).toISOString()
  const uncountedAttempts = reason === 'stopped' ? 1 : 0
  await returnToPending.run(world, {
    account,
    execution: id,
    lease,
    due,
    now: timeOf(world.clock),
    uncountedAttempts,
  })
}

/** The size of a finished file; null: the report has failed. */
export type WrittenFile = { chunks: number; bytes: number } | null

/** Ends a job with its event, in one commit. False: the lease is lost. */
export function endJob(world: World, { account, id, lease }: Job, file: WrittenFile): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const ended = await db
      .updateTable('report_executions')
      .set({
        status: file ? 'succeeded' : 'failed',
        lease: null,
        due_at: null,
        file_chunks: file?.chunks ?? null,
        file_bytes: file?.bytes ?? null,
        updated_at: timeOf(world.clock),
      })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('lease', '=', lease)
      .returning('id')
      .executeTakeFirst()
    const row = ended && (await findExecution(db, account, id))
    if (!row) return false
    if (!file)
      await db
        .deleteFrom('report_chunks')
        .where('merchant_account_id', '=', account)
        .where('report_execution_id', '=', id)
        .execute()
    await recordEvent(db, world, {
      account,
      name: `report-execution.${row.status}`,
      target: showExecution(row),
    })
    return true
  })
}
