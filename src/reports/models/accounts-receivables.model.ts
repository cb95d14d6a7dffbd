import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { Closed } from '../../api/schema.ts'
import { RequiredWindow } from '../date-window.schema.ts'
import { type DateWindow, type ResolvedWindow, resolveWindow, windowProblems } from '../date-window.ts'
import { type Cell, defineModel, type ReportInput } from './model.ts'
import { and, keyParameter, readByKeys, readInBatches, readKeysInOrder } from './read-rows.ts'
import { within } from './transactions.model.ts'

const Params = Closed('AccountsReceivablesReportParams', {
  filters: Closed('AccountsReceivablesReportFilters', { timestamp: RequiredWindow }),
})

/** What a row says of a movement `m`, which is about the transaction `t`. */
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
/** Longer windows are not sorted (SEMANTICS §16.6). */
const SORTED_MS = 31 * DAY_MS

/** A row for each movement of money that payment services owe to the merchant: what was captured and given back, and what was settled of it. */
export const accountsReceivablesModel = defineModel(Params, {
  problems: ({ filters }) => windowProblems(filters.timestamp, '/filters/timestamp'),
  columns: () => Object.keys(columns),
  rows: ({ filters }, making) => readMovements(making, filters.timestamp),
})

const corrected = `coalesce((o.input#>>'{after,captured_amount}')::bigint - (o.input#>>'{before,captured_amount}')::bigint, 0)`

/** Of the journal: what took effect, when we knew. Signs are the merchant's. */
const operations = (account: string) => sql`
  select o.id, o.transaction_id, o.settled_at as timestamp, o.payment_service_id, o.payment_service_operation_id as reference, o.currency,
         o.input->>'external_identifier' as external_identifier,
         case o.kind when 'authorize' then 'authorization' when 'sale' then 'capture' when 'increment' then 'authorization_increment' when 'cancel' then 'void' else o.kind end as type,
         case o.kind when 'refund' then -o.effective_amount when 'correction' then ${sql.raw(corrected)} else o.effective_amount end as amount,
         case when o.kind in ('sale', 'capture') then o.effective_amount when o.kind = 'refund' then -o.effective_amount when o.kind = 'correction' then ${sql.raw(corrected)} else 0 end as receivable_change, o.settled_at as known_at
    from operations o
   where o.merchant_account_id = ${account} and o.status = 'approved'
     and (o.kind in ('authorize', 'sale', 'increment', 'capture', 'void', 'cancel', 'refund') or (o.kind = 'correction' and ${sql.raw(corrected)} <> 0))`

/**
 * Of the payment services' reports, in the currency of the payment. What is settled is not owed any more; a settled refund has been kept back from it. A chargeback
 * is taken from what was paid out: nothing more is owed, and nothing less.
 */
const settlements = (account: string) => sql`
  select s.id, s.transaction_id, s.posted_at as timestamp, s.payment_service_id, null::text as reference, null::text as currency, null::text as external_identifier,
         replace(s.type, '-', '_') as type,
         case when s.type in ('refund-settlement', 'chargeback') then -abs(s.gross_amount) else abs(s.gross_amount) end as amount,
         case s.type when 'settlement' then -abs(s.gross_amount) when 'refund-settlement' then abs(s.gross_amount) else 0 end as receivable_change, s.ingested_at as known_at
    from settlements s
   where s.merchant_account_id = ${account}`

async function* readMovements({ world, account, context }: ReportInput, window: DateWindow): AsyncGenerator<Cell[][]> {
  const span = resolveWindow(window, context)
  const movements = sql`(${operations(account)} union all ${settlements(account)}) m`
  const withPayment = (of: RawBuilder<unknown>) => sql`${of} join transactions t on t.merchant_account_id = ${account} and t.id = m.transaction_id`
  const expressions = Object.values(columns)
  const where: RawBuilder<SqlBool>[] = within('m.timestamp', span)
  if (!isSortable(span, world.clock.now())) {
    // table by table, each along an index: the two as one would be sorted anew for each batch
    const id = { expression: 'm.id', type: 'uuid' } as const
    yield* readInBatches(world, { columns: expressions, from: withPayment(sql`(${operations(account)}) m`), where, orderColumns: [id] })
    const along = [{ expression: 'm.known_at', type: 'timestamptz' } as const, id]
    return yield* readInBatches(world, { columns: expressions, from: withPayment(sql`(${settlements(account)}) m`), where, orderColumns: along })
  }
  const order = await readKeysInOrder(
    world,
    ['id', 'transaction_id'],
    sql`select m.id, m.transaction_id from ${movements} where ${and(where)} order by m.timestamp, m.id`,
  )
  // settlements have an index by their transaction alone
  const only = (keys: string[][]) => [sql`m.id = any(${keyParameter(keys, 0)})`, sql`m.transaction_id = any(${keyParameter(keys, 1)})`]
  yield* readByKeys(world, order, { columns: expressions, from: withPayment(movements), id: 'm.id', only })
}

/** An open end is now; an open start is long ago. */
const isSortable = ({ from, to }: ResolvedWindow, now: number): boolean =>
  from !== null && (to === null ? now : Date.parse(to)) - Date.parse(from) <= SORTED_MS
