import { sql } from 'kysely'
import { Closed } from '../../api/schema.ts'
import { RequiredWindow } from '../date-window.schema.ts'
import { resolveWindow, windowProblems } from '../date-window.ts'
import { type Cell, defineModel, type ReportInput } from './model.ts'
import { BATCH_ROWS, columnList, readInBatches, readRows } from './read-rows.ts'
import { within } from './transactions.model.ts'

const Params = Closed('TransactionRetriesReportParams', {
  filters: Closed('TransactionRetriesReportFilters', { created_at: RequiredWindow }),
})

/** The columns of an attempt, which is an operation `o` of the transaction `t`, as SQL. */
const columns = {
  transaction_id: 't.id',
  transaction_external_identifier: 't.external_identifier',
  transaction_created_at: 't.created_at',
  transaction_status: 't.status',
  currency: 't.currency',
  method: 't.method',
  scheme: `t.payment_method->>'scheme'`,
  attempt: 'o.attempt',
  attempts: 'o.attempts',
  attempt_id: 'o.id',
  attempted_at: 'o.created_at',
  settled_at: 'o.settled_at',
  amount: 'o.amount',
  status: 'o.status',
  error_code: 'o.error_code',
  raw_response_code: `o.facts->>'raw_response_code'`,
  raw_response_description: `o.facts->>'raw_response_description'`,
  payment_service_id: 'o.payment_service_id',
  payment_service_definition_id: 's.payment_service_definition_id',
  payment_service_display_name: 's.display_name',
} as const

/** A row for each attempt of a payment that needed more than one, from the journal. */
export const transactionRetriesModel = defineModel(Params, {
  problems: ({ filters }) => windowProblems(filters.created_at, '/filters/created_at'),
  columns: () => Object.keys(columns),
  tables: ['transactions', 'operations'],
  windows: ({ filters }, { context }) => [resolveWindow(filters.created_at, context)],
  rows: ({ filters }, input) => readAttempts(input, filters.created_at),
})

const expressions = Object.values(columns)

async function* readAttempts(
  input: ReportInput,
  window: Parameters<typeof resolveWindow>[0],
): AsyncGenerator<Cell[][]> {
  const { world, sources, account, context } = input
  const orderColumns = [
    { expression: 't.created_at', type: 'timestamptz' } as const,
    { expression: 't.id', type: 'uuid' } as const,
  ]
  const where = [
    sql`t.merchant_account_id = ${account}`,
    ...within('t.created_at', resolveWindow(window, context)),
    sql`t.created_at <= ${new Date(world.clock.now()).toISOString()}::timestamptz`,
    sql`(select count(*)
           from ${sources.operations} a
          where a.merchant_account_id = t.merchant_account_id
            and a.transaction_id = t.id
            and ${isAttempt}) > 1`,
  ]
  for await (const batch of readInBatches(world, {
    columns: ['t.id'],
    from: sql`${sources.transactions} t`,
    where,
    orderColumns,
  })) {
    const ids = batch.map(([id = null]) => id)
    yield* readAttemptsOf(input, ids)
  }
}

/**
 * The operations `a` that count as attempts. An approval that the buyer has given is the same attempt as the
 * operation that follows it.
 */
const isAttempt = sql.raw(
  `(a.kind in ('authorize', 'sale') or (a.kind = 'approval' and a.status in ('declined', 'failed')))`,
)

async function* readAttemptsOf(
  { world, sources, account }: ReportInput,
  ids: Cell[],
): AsyncGenerator<Cell[][]> {
  // a transaction has several attempts
  const size = BATCH_ROWS / 10
  for (let at = 0; at < ids.length; at += size) {
    const rows = await readRows(
      world,
      sql<Record<string, Cell>>`
        select ${columnList(expressions)}
          from (select a.*,
                       row_number() over (partition by a.transaction_id order by a.created_at, a.id) as attempt,
                       count(*) over (partition by a.transaction_id) as attempts
                  from ${sources.operations} a
                 where a.merchant_account_id = ${account}
                   and a.transaction_id = any(${ids.slice(at, at + size)}::uuid[])
                   and ${isAttempt}) o
          join ${sources.transactions} t on t.merchant_account_id = o.merchant_account_id and t.id = o.transaction_id
          left join payment_services s on s.merchant_account_id = o.merchant_account_id and s.id = o.payment_service_id
         where t.merchant_account_id = ${account}
         order by t.created_at, t.id, o.attempt`,
    )
    yield rows.map((row) => expressions.map((_, index) => row[`c${index}`] ?? null))
  }
}
