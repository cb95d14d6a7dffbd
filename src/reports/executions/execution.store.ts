import { type Kysely, type Selectable, sql } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { containing } from '../../database/like-pattern.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import type { ReportExecutionStatus, ReportTable } from '../../database/tables/reports.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { ExecutionRow } from '../report.representation.ts'

type ScheduledReport = Pick<Selectable<ReportTable>, 'merchant_account_id' | 'id' | 'schedule_timezone'>

/**
 * Creates an execution of a report as of `reference`, which is made at `due` or later. A report has one
 * execution for each reference time: the unique index prevents another one.
 */
export async function insertExecution(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  report: ScheduledReport,
  { reference, due }: { reference: string; due: string },
): Promise<void> {
  const now = timeOf(world.clock)
  await db
    .insertInto('report_executions')
    .values({
      merchant_account_id: report.merchant_account_id,
      id: world.ids.next(),
      report_id: report.id,
      status: 'pending',
      reference_timestamp: reference,
      reference_timezone: report.schedule_timezone,
      due_at: due,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['merchant_account_id', 'report_id', 'reference_timestamp']).doNothing(),
    )
    .execute()
}

const report = sql<ExecutionRow['report']>`(
  select json_build_object('id', r.id, 'merchant_account_id', r.merchant_account_id, 'name', r.name, 'creator_id', r.creator_id,
                           'creator_display_name', r.creator_display_name, 'creator_type', r.creator_type)
    from reports r
   where r.merchant_account_id = report_executions.merchant_account_id
     and r.id = report_executions.report_id)`.as('report')

const executionsOf = (db: Kysely<Tables>, account: string) =>
  db.selectFrom('report_executions').selectAll().select(report).where('merchant_account_id', '=', account)

/** Undefined: the account has no such execution. */
export const findExecution = (
  db: Kysely<Tables>,
  account: string,
  id: string,
): Promise<ExecutionRow | undefined> => executionsOf(db, account).where('id', '=', id).executeTakeFirst()

export interface ExecutionFilter {
  reportId?: string
  /** A part of the report's name. */
  reportName?: string | null
  createdFrom?: string | null
  createdTo?: string | null
  status?: readonly ReportExecutionStatus[] | null
  /** The ids of the people or key pairs that created the report. */
  creators?: readonly string[] | null
}

/** Newest first. */
export function listExecutions(
  world: Pick<World, 'db'>,
  account: string,
  filter: ExecutionFilter,
  page: PageRequest,
): Promise<ExecutionRow[]> {
  const {
    reportId,
    reportName = null,
    createdFrom = null,
    createdTo = null,
    status = null,
    creators = null,
  } = filter
  const reports = world.db
    .selectFrom('reports')
    .select('id')
    .where('merchant_account_id', '=', account)
    .$if(reportName !== null, (query) => query.where('name', 'ilike', containing(reportName ?? '')))
    .$if(creators !== null, (query) => query.where('creator_id', 'in', creators ?? []))
  return executionsOf(world.db, account)
    .$if(reportId !== undefined, (query) => query.where('report_id', '=', reportId ?? ''))
    .$if(reportName !== null || creators !== null, (query) => query.where('report_id', 'in', reports))
    .$if(createdFrom !== null, (query) => query.where('created_at', '>=', createdFrom ?? ''))
    .$if(createdTo !== null, (query) => query.where('created_at', '<=', createdTo ?? ''))
    .$if(status !== null, (query) => query.where('status', 'in', status ?? []))
    .$call(newestFirst(page))
    .execute()
}
