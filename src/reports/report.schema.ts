import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Open, Page, Text, Timestamp, Uuid, Words } from '../api/schema.ts'

export const ReportSchedule = Words('once', 'daily', 'weekly', 'monthly')
export const ReportCreatorType = Words('user', 'private_key')
export const ReportExecutionStatus = Words('pending', 'dispatched', 'processing', 'succeeded', 'failed')
export const ReportSpecModel = Words(
  'transactions',
  'transaction_retries',
  'detailed_settlement',
  'accounts_receivables',
  'ai_insights',
)
export type ReportSpecModel = Static<typeof ReportSpecModel>

const params = Described(Open, 'Depends on the model')

export const ReportSpec = Closed('ReportSpec', { model: ReportSpecModel, params })
export type ReportSpec = Static<typeof ReportSpec>

export const ReportExecutionContext = Closed('ReportExecutionContext', {
  reference_timestamp: Described(
    Timestamp,
    'Placeholders such as `day_start` refer to the last full day, week and month before this time',
  ),
  reference_timezone: Described(Type.String(), 'In this time zone'),
})

const execution = {
  type: Type.Literal('report-execution'),
  id: Uuid,
  created_at: Timestamp,
  updated_at: Timestamp,
  status: ReportExecutionStatus,
  context: ReportExecutionContext,
}

export const ReportExecutionSummary = Closed('ReportExecutionSummary', execution)
export type ReportExecutionSummary = Static<typeof ReportExecutionSummary>

const creator = {
  creator_id: Nullable(Uuid),
  creator_display_name: Nullable(Text(1, 1000)),
  creator_type: Nullable(ReportCreatorType),
}

const names = {
  type: Type.Literal('report'),
  id: Uuid,
  merchant_account_id: Type.String(),
  name: Text(1, 100),
  ...creator,
}

export const ReportSummary = Closed('ReportSummary', {
  ...names,
  creator_display_name: Nullable(Type.String()),
})

export const ReportExecution = Closed('ReportExecution', { ...execution, report: ReportSummary })
export type ReportExecution = Static<typeof ReportExecution>

export const ReportExecutions = Page('ReportExecutions', ReportExecution)

const Description = Nullable(Text(1, 1000))

export const Report = Closed('Report', {
  ...names,
  created_at: Timestamp,
  updated_at: Timestamp,
  next_execution_at: Nullable(
    Described(Timestamp, 'The time of the next execution, if the schedule is enabled; null: `once`'),
  ),
  description: Description,
  schedule: ReportSchedule,
  schedule_enabled: Type.Boolean(),
  schedule_timezone: Type.String(),
  spec: ReportSpec,
  latest_execution: Nullable(ReportExecutionSummary),
})
export type Report = Static<typeof Report>

export const Reports = Page('Reports', Report)

/** The specification of one model. The member `model` may be left out. */
const spec = <const M extends string>(name: string, model: M) =>
  Closed(name, { model: Type.Optional({ ...Type.Literal(model), default: model }), params })

export const ReportCreate = Closed('ReportCreate', {
  name: Text(1, 100),
  description: Type.Optional(Description),
  schedule: Described(
    ReportSchedule,
    '`once`: made now. `daily`, `weekly` and `monthly`: made after each day, week (from Monday) or month',
  ),
  schedule_enabled: Described(Type.Boolean(), 'Must be false if the schedule is `once`'),
  schedule_timezone: Type.Optional({
    ...Described(Type.String(), 'IANA name of the time zone in which days end'),
    default: 'Etc/UTC',
  }),
  spec: Type.Union([
    spec('TransactionsReportSpec', 'transactions'),
    spec('TransactionRetriesReportSpec', 'transaction_retries'),
    spec('DetailedSettlementReportSpec', 'detailed_settlement'),
    spec('AccountsReceivablesReportSpec', 'accounts_receivables'),
    spec('AIInsightsReportSpec', 'ai_insights'),
  ]),
})
export type ReportCreate = Static<typeof ReportCreate>

/**
 * An omitted member stays as it is. Null removes the description; for the other members it means the same as
 * leaving them out.
 */
export const ReportUpdate = Closed('ReportUpdate', {
  name: Type.Optional(Nullable(Text(1, 100))),
  description: Type.Optional(Description),
  schedule_enabled: Type.Optional(Nullable(Type.Boolean())),
})
export type ReportUpdate = Static<typeof ReportUpdate>

export const ReportExecutionUrlGenerate = Closed('ReportExecutionUrlGenerate', {
  expires_in: Type.Optional({
    ...Type.Integer({ minimum: 1, maximum: 10_080, description: 'Minutes' }),
    default: 5,
  }),
})

export const ReportExecutionUrl = Closed('ReportExecutionUrl', {
  url: Described(Type.String(), 'The CSV file; needs no bearer token'),
  expires_at: Timestamp,
})
