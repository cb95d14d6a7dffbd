import { type Kysely, type Selectable, sql } from 'kysely'
import { invalid } from '../api/errors.ts'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import { containing } from '../database/like-pattern.ts'
import { type AuditAction, recordChange } from '../database/logs/audit-log.ts'
import { lockRow } from '../database/rows/lock-row.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import { writeChanges } from '../database/rows/write-changes.ts'
import type { ReportCreator, ReportSchedule, ReportTable } from '../database/tables/reports.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import { insertExecution } from './executions/execution.store.ts'
import type { ExecutionColumns, ReportRow } from './report.representation.ts'
import type { ReportSpec, ReportUpdate } from './report.schema.ts'
import { nextExecution, ONCE_PROBLEM } from './report.ts'

type ReportColumns = Selectable<ReportTable>

export interface NewReport extends ReportCreator {
  account: string
  name: string
  description: string | null
  schedule: ReportSchedule
  schedule_enabled: boolean
  schedule_timezone: string
  spec: ReportSpec
}

/** Creates a report. The schedule `once` gets its execution in the same commit. */
export async function insertReport(
  world: World,
  { account, spec, ...columns }: NewReport,
): Promise<ReportRow> {
  const now = timeOf(world.clock)
  return world.db.transaction().execute(async (db) => {
    const report = await db
      .insertInto('reports')
      .values({
        merchant_account_id: account,
        id: world.ids.next(),
        ...columns,
        spec: JSON.stringify(spec),
        next_execution_at: nextExecution(columns.schedule, columns.schedule_timezone, world.clock.now()),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    if (report.schedule === 'once') await insertExecution(db, world, report, { reference: now, due: now })
    await auditChange(db, world, 'created', report)
    return oneReport(db, account, report.id).executeTakeFirstOrThrow()
  })
}

const auditChange = (
  db: Kysely<Tables>,
  world: World,
  action: AuditAction,
  { merchant_account_id, id, name }: ReportColumns,
) => recordChange(db, world, { account: merchant_account_id, action, resource: { type: 'report', id, name } })

const latestExecution = sql<ExecutionColumns | null>`(
  select row_to_json(e)
    from report_executions e
   where e.merchant_account_id = reports.merchant_account_id
     and e.report_id = reports.id
   order by e.created_at desc, e.id desc
   limit 1)`.as('latest_execution')

const reportsOf = (db: Kysely<Tables>, account: string) =>
  db.selectFrom('reports').selectAll().select(latestExecution).where('merchant_account_id', '=', account)

const oneReport = (db: Kysely<Tables>, account: string, id: string) =>
  reportsOf(db, account).where('id', '=', id)

/** Undefined: the account has no such report. */
export const findReport = (
  world: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<ReportRow | undefined> => oneReport(world.db, account, id).executeTakeFirst()

export interface ReportFilter {
  schedule: readonly ReportSchedule[] | null
  enabled: boolean | null
  /** A part of the name. */
  name: string | null
}

/** Newest first. */
export function listReports(
  world: Pick<World, 'db'>,
  account: string,
  filter: ReportFilter,
  page: PageRequest,
): Promise<ReportRow[]> {
  const { schedule, enabled, name } = filter
  return reportsOf(world.db, account)
    .$if(schedule !== null, (query) => query.where('schedule', 'in', schedule ?? []))
    .$if(enabled !== null, (query) => query.where('schedule_enabled', '=', enabled ?? false))
    .$if(name !== null, (query) => query.where('name', 'ilike', containing(name ?? '')))
    .$call(newestFirst(page))
    .execute()
}

/**
 * Changes a report. Undefined: the account has no such report. A schedule that is enabled again keeps its
 * next time; if that has passed, it continues with the next period.
 */
export function updateReport(
  world: World,
  account: string,
  id: string,
  update: ReportUpdate,
): Promise<ReportRow | undefined> {
  return world.db.transaction().execute(async (db) => {
    const current = await lockRow(db, 'reports', account, id)
    if (!current) return undefined
    const enabled = update.schedule_enabled ?? current.schedule_enabled
    if (enabled && current.schedule === 'once') throw invalid({ '/schedule_enabled': ONCE_PROBLEM })
    const isLate =
      current.next_execution_at !== null && Date.parse(current.next_execution_at) <= world.clock.now()
    const skipsMissed = enabled && !current.schedule_enabled && isLate
    const columns = {
      name: update.name ?? current.name,
      ...(update.description !== undefined && { description: update.description }),
      schedule_enabled: enabled,
      ...(skipsMissed && {
        next_execution_at: nextExecution(current.schedule, current.schedule_timezone, world.clock.now()),
      }),
    }
    const changed = await writeChanges(db, 'reports', current, columns, timeOf(world.clock))
    if (changed) await auditChange(db, world, 'updated', changed)
    return oneReport(db, account, id).executeTakeFirst()
  })
}
