import { sql } from 'kysely'
import { Closed, Words } from '../../api/schema.ts'
import type { ReportContext } from '../date-window.ts'
import { lastPeriod, periodOf } from '../schedule.ts'
import { type Cell, defineModel, type ReportInput } from './model.ts'
import { readRows } from './read-rows.ts'

const Params = Closed('AIInsightsReportParams', {
  filters: Closed('AIInsightsReportFilters', { prompt_key: Words('payment_performance') }),
})

const columns = [
  'section',
  'key',
  'name',
  'transactions',
  'succeeded',
  'approval_rate',
  'previous_transactions',
  'previous_succeeded',
  'previous_approval_rate',
  'transactions_change',
  'approval_rate_change',
] as const

/** How payments did in a period and in the one before (model `ai_insights`). It is computed from the transactions; no language model is asked. */
export const paymentPerformanceModel = defineModel(Params, {
  columns: () => columns,
  rows: (_params, making) => readPerformance(making),
})

interface Figures extends Record<string, unknown> {
  section: string
  key: string
  name: string | null
  transactions: number
  succeeded: number
  previous_transactions: number
  previous_succeeded: number
}

/** Declines have a line of their own, however many reasons there are. */
const MAX_DECLINES = 20

/** Payments that are decided, by when they were created; each counts once in every section. */
const figures = (account: string, { previous, start, end }: Periods) => sql<Figures>`
  with decided as (
    select t.created_at >= ${start}::timestamptz as is_now, t.intent_outcome = 'succeeded' as ok, t.error_code, t.payment_service_id::text as payment_service_id,
           t.method, t.payment_method->>'scheme' as scheme, t.country, t.currency
      from transactions t
     where t.merchant_account_id = ${account} and t.created_at >= ${previous}::timestamptz and t.created_at < ${end}::timestamptz and t.intent_outcome <> 'pending')
  select section, key, max(service.display_name) as name, count(*) filter (where is_now) as transactions, count(*) filter (where is_now and ok) as succeeded,
         count(*) filter (where not is_now) as previous_transactions, count(*) filter (where not is_now and ok) as previous_succeeded
    from decided
   cross join lateral (values (1, 'total', 'all'), (2, 'payment_service', payment_service_id), (3, 'method', method), (4, 'scheme', scheme), (5, 'country', country),
                              (6, 'currency', currency), (7, 'decline', case when not ok then coalesce(error_code, 'unknown') end)) one (place, section, key)
    left join payment_services service on section = 'payment_service' and service.merchant_account_id = ${account} and service.id::text = key
   where key is not null
   group by place, section, key
   order by place, transactions desc, previous_transactions desc, key`

interface Periods {
  previous: string
  start: string
  end: string
}

async function* readPerformance({ world, account, schedule, context }: ReportInput): AsyncGenerator<Cell[][]> {
  const rows = await readRows(world, figures(account, periodsOf(schedule, context)))
  const declines = rows.filter(({ section }) => section === 'decline').slice(0, MAX_DECLINES)
  yield [...rows.filter(({ section }) => section !== 'decline'), ...declines].map(line)
}

function line(row: Figures): Cell[] {
  const isDecline = row.section === 'decline'
  const rate = isDecline ? null : share(row.succeeded, row.transactions)
  const before = isDecline ? null : share(row.previous_succeeded, row.previous_transactions)
  return [
    row.section,
    row.key,
    row.name,
    row.transactions,
    isDecline ? null : row.succeeded,
    rate,
    row.previous_transactions,
    isDecline ? null : row.previous_succeeded,
    before,
    row.previous_transactions === 0 ? null : rounded(row.transactions / row.previous_transactions - 1),
    rate === null || before === null ? null : rounded(rate - before),
  ]
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : rounded(part / whole))
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

const THIRTY_DAYS = 30 * 86_400_000

/** The period that the schedule has just ended and the one before; of a report without one, the last thirty days and the thirty before. */
function periodsOf(schedule: ReportInput['schedule'], { reference_timestamp, reference_timezone }: ReportContext): Periods {
  const at = Date.parse(reference_timestamp)
  const period = periodOf[schedule]
  const now = period ? lastPeriod(period, reference_timezone, at) : { start: at - THIRTY_DAYS, end: at }
  const before = period ? lastPeriod(period, reference_timezone, now.start).start : now.start - THIRTY_DAYS
  const [previous = '', start = '', end = ''] = [before, now.start, now.end].map((instant) => new Date(instant).toISOString())
  return { previous, start, end }
}
