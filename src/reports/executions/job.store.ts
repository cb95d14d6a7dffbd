import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { currentTimeValues, isInCurrentTime, isInCurrentTimeSql } from '../../base/account-clock.ts'
import { timeOf } from '../../base/clock.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import type { ReportSchedule } from '../../database/tables/reports.ts'
import type { Tables } from '../../database/tables.ts'
import { VISIBLE_AFTER_MS } from '../../database/timeouts.ts'
import type { World } from '../../world.ts'
import type { ReportContext } from '../date-window.ts'
import { showExecution } from '../report.representation.ts'
import type { ReportSpec } from '../report.schema.ts'
import { nextExecution } from '../report.ts'
import { findExecution, insertExecution } from './execution.store.ts'

/** An execution in the hands of this process, for as long as its lease is. */
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

/** How long a process may be silent before another one takes up what it had. */
const LEASE_MS = 60_000

const SCHEDULES = 50

export const leaseEnd = ({ clock }: Pick<World, 'clock'>): string => new Date(clock.now() + LEASE_MS).toISOString()

/**
 * Has reports made whose time has come; answers how many. After a time in which nobody looked there is an execution for each period that has passed:
 * nothing is left out.
 */
export async function scheduleDue(world: World): Promise<number> {
  let scheduled = 0
  for (;;) {
    const due = await world.db.transaction().execute((db) => scheduleBatch(db, world))
    scheduled += due
    if (due === 0) return scheduled
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
    .limit(SCHEDULES)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const report of due) {
    const reference = report.next_execution_at ?? timeOf(world.clock)
    const at = Date.parse(reference)
    // what was dated in the last moments of the period is committed by then
    await insertExecution(db, world, report, { reference, due: new Date(at + VISIBLE_AFTER_MS).toISOString() })
    await db
      .updateTable('reports')
      .set({ next_execution_at: nextExecution(report.schedule, report.schedule_timezone, at) })
      .where('merchant_account_id', '=', report.merchant_account_id)
      .where('id', '=', report.id)
      .execute()
  }
  return due.length
}

const claim = `
with due as (
  select merchant_account_id, id from report_executions where due_at <= $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 4)} order by due_at limit 1 for update skip locked
)
update report_executions e
   set status = 'dispatched', attempts = e.attempts + 1, lease = $2::uuid, due_at = $3::timestamptz, updated_at = $1::timestamptz
  from due, reports r
 where e.merchant_account_id = due.merchant_account_id and e.id = due.id and r.merchant_account_id = e.merchant_account_id and r.id = e.report_id
returning e.merchant_account_id as account, e.id, e.lease, e.attempts as attempt, r.spec, r.schedule,
          json_build_object('reference_timestamp', e.reference_timestamp, 'reference_timezone', e.reference_timezone) as context`

/** Takes up an execution that waits, or that a process has left. Undefined: there is none. */
export async function claimJob(world: Pick<World, 'run' | 'clock'>): Promise<Job | undefined> {
  const [job] = await world.run<Job>(claim, [timeOf(world.clock), randomUUID(), leaseEnd(world), ...currentTimeValues()])
  return job
}

const begin = `
with held as (
  update report_executions set status = 'processing', updated_at = $4::timestamptz where merchant_account_id = $1 and id = $2 and lease = $3 returning id
), gone as (
  delete from report_chunks c using held where c.merchant_account_id = $1 and c.report_execution_id = held.id
)
select id from held`

/** What an attempt before has left goes. False: somebody else has the job now. */
export const beginJob = async ({ run, clock }: Pick<World, 'run' | 'clock'>, { account, id, lease }: Job): Promise<boolean> =>
  (await run(begin, [account, id, lease, timeOf(clock)])).length > 0

const renew = 'update report_executions set due_at = $4::timestamptz where merchant_account_id = $1 and id = $2 and lease = $3'

/** Holds on to a job. */
export const renewLease = async (world: Pick<World, 'run' | 'clock'>, { account, id, lease }: Job): Promise<void> =>
  void (await world.run(renew, [account, id, lease, leaseEnd(world)]))

const giveBack = `
update report_executions set status = 'pending', lease = null, due_at = $4::timestamptz, updated_at = $5::timestamptz, attempts = attempts - $6::int
 where merchant_account_id = $1 and id = $2 and lease = $3`

/** Somebody takes it up again in `ms` milliseconds. An attempt that did not fail is not counted. */
export async function releaseJob(world: Pick<World, 'run' | 'clock'>, { account, id, lease }: Job, ms: number, counts: boolean): Promise<void> {
  const due = new Date(world.clock.now() + ms).toISOString()
  await world.run(giveBack, [account, id, lease, due, timeOf(world.clock), counts ? 0 : 1])
}

/** How a file came out; null: nothing will come of it. */
export type WrittenFile = { chunks: number; bytes: number } | null

/** Ends a job and tells of it, in one commit. False: somebody else has it. */
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
    if (!file) await db.deleteFrom('report_chunks').where('merchant_account_id', '=', account).where('report_execution_id', '=', id).execute()
    await recordEvent(db, world, { account, name: `report-execution.${row.status}`, target: showExecution(row) })
    return true
  })
}
