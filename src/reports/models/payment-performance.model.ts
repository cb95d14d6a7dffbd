import { sql } from 'kysely'
import { Closed, Words } from '../../api/schema.ts'
import type { PaymentSources } from '../../archive/read-archived.ts'
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

/**
 * The success of payments in a period and in the previous one (model `ai_insights`), computed from the
 * transactions without a language model.
 */
export const paymentPerformanceModel = defineModel(Params, {
  columns: () => columns,
  tables: ['transactions'],
  windows: (_params, { schedule, context }) => {
    const { previous, end } = periodsOf(schedule, context)
    return [{ from: previous, to: end }]
  },
  rows: (_params, input) => readPerformance(input),
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

/** The report has lines for the most frequent reasons of declines only. */
const MAX_DECLINES = 20

/**
 * Counts the decided payments of both periods by their creation; each payment counts once in every section.
 */
const figures = (account: string, sources: PaymentSources, { previous, start, end }: Periods) => sql<Figures>`
  with decided as (
    select t.created_at >= ${start}::timestamptz as is_current,
           t.intent_outcome = 'succeeded' as has_succeeded,
           t.error_code,
           t.payment_service_id::text as payment_service_id,
           t.method,
           t.payment_method->>'scheme' as scheme,
           t.country,
           t.currency
      from ${sources.transactions} t
     where t.merchant_account_id = ${account}
       and t.created_at >= ${previous}::timestamptz
       and t.created_at < ${end}::timestamptz
       and t.intent_outcome <> 'pending'
  )
  select section, key,
         max(service.display_name) as name,
         count(*) filter (where is_current) as transactions,
         count(*) filter (where is_current and has_succeeded) as succeeded,
         count(*) filter (where not is_current) as previous_transactions,
         count(*) filter (where not is_current and has_succeeded) as previous_succeeded
    from decided
   cross join lateral (values (1, 'total', 'all'),
                              (2, 'payment_service', payment_service_id),
                              (3, 'method', method),
                              (4, 'scheme', scheme),
                              (5, 'country', country),
                              (6, 'currency', currency),
                              (7, 'decline', case when not has_succeeded then coalesce(error_code, 'unknown') end)) line (rank, section, key)
    left join payment_services service on section = 'payment_service'
                                      and service.merchant_account_id = ${account}
                                      and service.id::text = key
   where key is not null
   group by rank, section, key
   order by rank, transactions desc, previous_transactions desc, key`

interface Periods {
  previous: string
  start: string
  end: string
}

async function* readPerformance({
  world,
  sources,
  account,
  schedule,
  context,
}: ReportInput): AsyncGenerator<Cell[][]> {
  const rows = await readRows(world, figures(account, sources, periodsOf(schedule, context)))
  const declines = rows.filter(({ section }) => section === 'decline').slice(0, MAX_DECLINES)
  yield [...rows.filter(({ section }) => section !== 'decline'), ...declines].map(line)
}

function line(row: Figures): Cell[] {
  const isDecline = row.section === 'decline'
  const rate = isDecline ? null : share(row.succeeded, row.transactions)
  const previousRate = isDecline ? null : share(row.previous_succeeded, row.previous_transactions)
  return [
    row.section,
    row.key,
    row.name,
    row.transactions,
    isDecline ? null : row.succeeded,
    rate,
    row.previous_transactions,
    isDecline ? null : row.previous_succeeded,
    previousRate,
    row.previous_transactions === 0 ? null : rounded(row.transactions / row.previous_transactions - 1),
    rate === null || previousRate === null ? null : rounded(rate - previousRate),
  ]
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : rounded(part / whole))
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

const THIRTY_DAYS = 30 * 86_400_000

/**
 * The last period of the schedule that was over, and the one before it; for a report without a schedule, the
 * last thirty days and the thirty before.
 */
function periodsOf(
  schedule: ReportInput['schedule'],
  { reference_timestamp, reference_timezone }: ReportContext,
): Periods {
  const at = Date.parse(reference_timestamp)
  const period = periodOf[schedule]
  const current = period ? lastPeriod(period, reference_timezone, at) : { start: at - THIRTY_DAYS, end: at }
  const previousStart = period
    ? lastPeriod(period, reference_timezone, current.start).start
    : current.start - THIRTY_DAYS
  const [previous = '', start = '', end = ''] = [previousStart, current.start, current.end].map((instant) =>
    new Date(instant).toISOString(),
  )
  return { previous, start, end }
}
