import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { currentTimeValues, isInCurrentTime } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { selectDueSql } from '../../database/select-due.ts'
import type { ReportSchedule } from '../../database/tables/reports.ts'
import type { Tables } from '../../database/tables.ts'
import { VISIBLE_AFTER_MS } from '../../database/timeouts.ts'
import type { World } from '../../world.ts'
import type { ReportContext } from '../date-window.ts'
import { showExecution } from '../report.representation.ts'
import type { ReportSpec } from '../report.schema.ts'
import { nextExecution } from '../report.ts'
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

/**
 * Creates the executions of the schedules that are due; answers how many. If no process has run for a while,
 * each period that has passed gets its execution.
 */
export async function scheduleDue(world: World): Promise<number> {
  let count = 0
  for (;;) {
    const scheduled = await world.db.transaction().execute((db) => scheduleBatch(db, world))
    count += scheduled
    if (scheduled === 0) return count
  }
}

async function scheduleBatch(db: Kysely<Tables>, world: World): Promise<number> {
  const due = await db
    .selectFrom('reports')
    .selectAll()
    .where('schedule_enabled', '=', true)
    .where('next_execution_at', '<=', timeOf(world.clock))
    .where(isInCurrentTime('merchant_account_id'))
    .orderBy('next_execution_at')
    .limit(SCHEDULE_BATCH)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const report of due) {
    const reference = report.next_execution_at ?? timeOf(world.clock)
    const at = Date.parse(reference)
    // later than the period's end: by then everything that is dated in the period is committed
    await insertExecution(db, world, report, {
      reference,
      due: new Date(at + VISIBLE_AFTER_MS).toISOString(),
    })
    await db
      .updateTable('reports')
      .set({ next_execution_at: nextExecution(report.schedule, report.schedule_timezone, at) })
      .where('merchant_account_id', '=', report.merchant_account_id)
      .where('id', '=', report.id)
      .execute()
  }
  return due.length
}

const leaseNextDue = namedStatement(
  ['now', 'lease', 'leasedUntil', 'currentAccount', 'movedAccounts'],
  (p) => `
with due as (${selectDueSql({
    table: 'report_executions',
    key: ['merchant_account_id', 'id'],
    condition: `due_at <= ${p.now}::timestamptz`,
    orderBy: 'due_at',
    limit: 1,
    timeParameter: 4,
  })}
)
update report_executions e
   set status = 'dispatched',
       attempts = e.attempts + 1,
       lease = ${p.lease}::uuid,
       due_at = ${p.leasedUntil}::timestamptz,
       updated_at = ${p.now}::timestamptz
  from due, reports r
 where e.merchant_account_id = due.merchant_account_id
   and e.id = due.id
   and r.merchant_account_id = e.merchant_account_id
   and r.id = e.report_id
returning e.merchant_account_id as account, e.id, e.lease, e.attempts as attempt, r.spec, r.schedule,
          json_build_object('reference_timestamp', e.reference_timestamp, 'reference_timezone', e.reference_timezone) as context`,
)

/** Leases an execution that waits, or whose lease has ended. Undefined: there is none. */
export async function claimJob(world: Pick<World, 'run' | 'clock'>): Promise<Job | undefined> {
  const [currentAccount, movedAccounts] = currentTimeValues()
  const parameters = {
    now: timeOf(world.clock),
    lease: randomUUID(),
    leasedUntil: leaseEnd(world),
    currentAccount,
    movedAccounts,
  }
  const [job] = await leaseNextDue.run<Job>(world, parameters)
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
