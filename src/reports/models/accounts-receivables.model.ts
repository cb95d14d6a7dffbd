import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { Closed } from '../../api/schema.ts'
import type { PaymentSources } from '../../archive/read-archived.ts'
import { RequiredWindow } from '../date-window.schema.ts'
import { type DateWindow, type ResolvedWindow, resolveWindow, windowProblems } from '../date-window.ts'
import { type Cell, defineModel, type ReportInput } from './model.ts'
import { and, keyParameter, readByKeys, readInBatches, readKeysInOrder } from './read-rows.ts'
import { within } from './transactions.model.ts'

const Params = Closed('AccountsReceivablesReportParams', {
  filters: Closed('AccountsReceivablesReportFilters', { timestamp: RequiredWindow }),
})

/** The columns of a movement `m` of the transaction `t`, as SQL. */
const columns = {
  timestamp: 'm.timestamp',
  id: 'm.id',
  type: 'm.type',
  transaction_id: 'm.transaction_id',
  transaction_external_identifier: 't.external_identifier',
  external_identifier: 'm.external_identifier',
  payment_service_id: 'm.payment_service_id',
  payment_service_definition_id: `t.payment_service->>'payment_service_definition_id'`,
  payment_service_display_name: `t.payment_service->>'display_name'`,
  payment_service_transaction_id: 't.payment_service_transaction_id',
  payment_service_reference: 'm.reference',
  method: 't.method',
  scheme: `t.payment_method->>'scheme'`,
  currency: 'coalesce(m.currency, t.currency)',
  amount: 'm.amount',
  receivable_change: 'm.receivable_change',
} as const

const DAY_MS = 86_400_000
/** Longer windows are not sorted (semantics §16.6). A month in which clocks go back is an hour longer. */
const SORTED_MS = 31 * DAY_MS + 3_600_000

/**
 * A row for each movement that changes what payment services owe to the merchant: captures, refunds and
 * settlements.
 */
export const accountsReceivablesModel = defineModel(Params, {
  problems: ({ filters }) => windowProblems(filters.timestamp, '/filters/timestamp'),
  columns: () => Object.keys(columns),
  tables: ['transactions', 'operations', 'settlements'],
  windows: ({ filters }, { context }) => [resolveWindow(filters.timestamp, context)],
  rows: ({ filters }, input) => readMovements(input, filters.timestamp),
})

const corrected = `coalesce((o.input#>>'{after,captured_amount}')::bigint - (o.input#>>'{before,captured_amount}')::bigint, 0)`

/** A refund that failed after it had succeeded is owed again; a capture is not any more. */
const takenBack = `case o.input#>>'{failed,kind}' when 'refund' then o.amount else -o.amount end`

/** The approved operations of the journal, and what was taken back of them. Amounts have the merchant's signs. */
const operations = (account: string, sources: PaymentSources) => sql`
  select o.id, o.transaction_id, o.settled_at as timestamp, o.payment_service_id, o.payment_service_operation_id as reference, o.currency,
         o.input->>'external_identifier' as external_identifier,
         case o.kind
           when 'authorize' then 'authorization'
           when 'sale' then 'capture'
           when 'increment' then 'authorization_increment'
           when 'cancel' then 'void'
           when 'late-failure' then case o.input#>>'{failed,kind}' when 'refund' then 'refund_reversal' else 'capture_reversal' end
           else o.kind end as type,
         case o.kind
           when 'refund' then -o.effective_amount
           when 'correction' then ${sql.raw(corrected)}
           when 'late-failure' then ${sql.raw(takenBack)}
           else o.effective_amount end as amount,
         case
           when o.kind in ('sale', 'capture') then o.effective_amount
           when o.kind = 'refund' then -o.effective_amount
           when o.kind = 'correction' then ${sql.raw(corrected)}
           when o.kind = 'late-failure' then ${sql.raw(takenBack)}
           else 0 end as receivable_change,
         o.settled_at as recorded_at
    from ${sources.operations} o
   where o.merchant_account_id = ${account}
     and (o.status = 'approved' or o.kind = 'late-failure')
     -- the return of money that was never captured here
     and (o.kind not in ('void', 'refund') or coalesce(o.input->>'undoes', 'true') = 'true')
     -- gift cards are not among the receivables; archived months have no \`input.redemption\`
     and (o.kind <> 'late-failure' or o.input#>>'{failed,kind}' in ('capture', 'sale', 'refund'))
     and (o.kind in ('authorize', 'sale', 'increment', 'capture', 'void', 'cancel', 'refund', 'late-failure')
          or (o.kind = 'correction' and ${sql.raw(corrected)} <> 0))`

/**
 * The lines of settlement reports, in the currency of the payment. A settlement reduces what is owed; a
 * refund settlement offsets its refund, which the payment service has kept back. A chargeback is taken from
 * money that was paid out, so it does not change what is owed.
 */
const settlements = (account: string, sources: PaymentSources) => sql`
  select s.id, s.transaction_id, s.posted_at as timestamp, s.payment_service_id, null::text as reference, null::text as currency,
         null::text as external_identifier,
         replace(s.type, '-', '_') as type,
         case when s.type in ('refund-settlement', 'chargeback') then -abs(s.gross_amount)
              else abs(s.gross_amount) end as amount,
         case s.type
           when 'settlement' then -abs(s.gross_amount)
           when 'refund-settlement' then abs(s.gross_amount)
           else 0 end as receivable_change,
         s.ingested_at as recorded_at
    from ${sources.settlements} s
   where s.merchant_account_id = ${account}`

async function* readMovements(
  { world, sources, account, context }: ReportInput,
  window: DateWindow,
): AsyncGenerator<Cell[][]> {
  const span = resolveWindow(window, context)
  const movements = sql`(${operations(account, sources)} union all ${settlements(account, sources)}) m`
  const withPayment = (rows: RawBuilder<unknown>) =>
    sql`${rows} join ${sources.transactions} t on t.merchant_account_id = ${account} and t.id = m.transaction_id`
  const expressions = Object.values(columns)
  const where: RawBuilder<SqlBool>[] = within('m.timestamp', span)
  if (!isSortable(span, world.clock.now())) {
    // table by table, each along an index: PostgreSQL would sort the union again for each batch
    const id = { expression: 'm.id', type: 'uuid' } as const
    yield* readInBatches(world, {
      columns: expressions,
      from: withPayment(sql`(${operations(account, sources)}) m`),
      where,
      orderColumns: [id],
    })
    const orderColumns = [{ expression: 'm.recorded_at', type: 'timestamptz' } as const, id]
    return yield* readInBatches(world, {
      columns: expressions,
      from: withPayment(sql`(${settlements(account, sources)}) m`),
      where,
      orderColumns,
    })
  }
  const order = await readKeysInOrder(
    world,
    ['id', 'transaction_id'],
    sql`select m.id, m.transaction_id from ${movements} where ${and(where)} order by m.timestamp, m.id`,
  )
  // by the transaction, too: settlements have no index by their id
  const only = (keys: string[][]) => [
    sql`m.id = any(${keyParameter(keys, 0)})`,
    sql`m.transaction_id = any(${keyParameter(keys, 1)})`,
  ]
  yield* readByKeys(world, order, { columns: expressions, from: withPayment(movements), id: 'm.id', only })
}

/** Whether a window is short enough to be sorted. An open end counts as now, an open start as long ago. */
const isSortable = ({ from, to }: ResolvedWindow, now: number): boolean =>
  from !== null && (to === null ? now : Date.parse(to)) - Date.parse(from) <= SORTED_MS
