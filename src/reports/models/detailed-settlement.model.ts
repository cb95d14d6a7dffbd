import { sql } from 'kysely'
import { Closed } from '../../api/schema.ts'
import { RequiredWindow } from '../date-window.schema.ts'
import { type DateWindow, resolveWindow, windowProblems } from '../date-window.ts'
import { type Cell, defineModel, type ReportInput } from './model.ts'
import { readInBatches } from './read-rows.ts'
import { within } from './transactions.model.ts'

const Params = Closed('DetailedSettlementReportParams', {
  filters: Closed('DetailedSettlementReportFilters', { ingested_at: RequiredWindow }),
})

/** The columns of a line `s` of a payment service's report, about the transaction `t`, as SQL. */
const columns = {
  id: 's.id',
  type: 's.type',
  posted_at: 's.posted_at',
  ingested_at: 's.ingested_at',
  transaction_id: 's.transaction_id',
  refund_id: 's.refund_id',
  transaction_external_identifier: 't.external_identifier',
  transaction_created_at: 't.created_at',
  transaction_status: 't.status',
  transaction_amount: 't.amount',
  transaction_captured_amount: 't.captured_amount',
  transaction_refunded_amount: 't.refunded_amount',
  transaction_currency: 't.currency',
  method: 't.method',
  scheme: `t.payment_method->>'scheme'`,
  payment_service_id: 's.payment_service_id',
  payment_service_definition_id: `t.payment_service->>'payment_service_definition_id'`,
  payment_service_display_name: `t.payment_service->>'display_name'`,
  payment_service_transaction_id: 't.payment_service_transaction_id',
  gross_amount: 's.gross_amount',
  currency: 's.currency',
  amount: 's.amount',
  exchange_rate: 's.exchange_rate',
  commission: 's.commission',
  interchange: 's.interchange',
  markup: 's.markup',
  scheme_fee: 's.scheme_fee',
  payment_service_report_id: 's.report_id',
  payment_service_report_file_id: 's.file_id',
} as const

/** A row for each settlement, refund settlement, chargeback and reversal of the payment services' reports. */
export const detailedSettlementModel = defineModel(Params, {
  problems: ({ filters }) => windowProblems(filters.ingested_at, '/filters/ingested_at'),
  columns: () => Object.keys(columns),
  tables: ['transactions', 'settlements'],
  windows: ({ filters }, { context }) => [resolveWindow(filters.ingested_at, context)],
  rows: ({ filters }, input) => readSettlements(input, filters.ingested_at),
})

const readSettlements = (
  { world, sources, account, context }: ReportInput,
  window: DateWindow,
): AsyncIterable<Cell[][]> =>
  readInBatches(world, {
    columns: Object.values(columns),
    from: sql`${sources.settlements} s join ${sources.transactions} t on t.merchant_account_id = s.merchant_account_id and t.id = s.transaction_id`,
    where: [
      sql`s.merchant_account_id = ${account}`,
      ...within('s.ingested_at', resolveWindow(window, context)),
    ],
    orderColumns: [
      { expression: 's.ingested_at', type: 'timestamptz' },
      { expression: 's.id', type: 'uuid' },
    ],
  })
