import type { Selectable } from 'kysely'
import type { ReportCreator, ReportExecutionTable, ReportTable } from '../database/tables/reports.ts'
import { timestamp, timestampOrNull } from '../database/timestamp.ts'
import type { Report, ReportExecution, ReportExecutionSummary } from './report.schema.ts'

type ReportColumns = Selectable<ReportTable>
export type ExecutionColumns = Selectable<ReportExecutionTable>

/** A report with its newest execution; null: it has none. */
export type ReportRow = ReportColumns & { latest_execution: ExecutionColumns | null }

/** An execution with the members of its report that the API shows. */
export type ExecutionRow = ExecutionColumns & {
  report: Pick<ReportColumns, 'id' | 'merchant_account_id' | 'name'> & ReportCreator
}

export const showReport = (row: ReportRow): Report => ({
  type: 'report',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  name: row.name,
  creator_id: row.creator_id,
  creator_display_name: row.creator_display_name,
  creator_type: row.creator_type,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  next_execution_at: timestampOrNull(row.next_execution_at),
  description: row.description,
  schedule: row.schedule,
  schedule_enabled: row.schedule_enabled,
  schedule_timezone: row.schedule_timezone,
  spec: row.spec,
  latest_execution: row.latest_execution && showExecutionSummary(row.latest_execution),
})

const showExecutionSummary = (row: ExecutionColumns): ReportExecutionSummary => ({
  type: 'report-execution',
  id: row.id,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  status: row.status,
  context: {
    reference_timestamp: timestamp(row.reference_timestamp),
    reference_timezone: row.reference_timezone,
  },
})

export const showExecution = (row: ExecutionRow): ReportExecution => ({
  ...showExecutionSummary(row),
  report: {
    type: 'report',
    id: row.report.id,
    merchant_account_id: row.report.merchant_account_id,
    name: row.report.name,
    creator_id: row.report.creator_id,
    creator_display_name: row.report.creator_display_name,
    creator_type: row.report.creator_type,
  },
})
