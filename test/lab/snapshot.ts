import type { QueryResultRow } from 'pg'
import type { OperationRow } from '../../src/operations/operation.ts'
import type { PayoutRow } from '../../src/payouts/payout.row.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import type { Books } from '../crash/books.ts'
import type { InstanceTables } from '../crash/read-tables.ts'
import type { Lost } from './restore.ts'
import type { Merchant, Stage } from './stage.ts'

export interface LoggedEvent {
  id: string
  name: string
  target_id: string
  sequence: number
  position: number
}

/** A merchant's money in our tables and in the payment services' books. */
export interface Snapshot {
  tables: InstanceTables
  books: Books & { closed: ReadonlySet<string> }
  /** In the order of the log. */
  events: LoggedEvent[]
  /** The lines of the payment services' reports. */
  settlements: { transaction_id: string; type: string; gross_amount: number }[]
}

/** A merchant's rows, read at one moment. */
const selectRows = `
select (select coalesce(json_agg(t), '[]') from transactions t where merchant_account_id = $1) as transactions,
       (select coalesce(json_agg(t), '[]') from operations t where merchant_account_id = $1) as operations,
       (select coalesce(json_agg(t), '[]') from payouts t where merchant_account_id = $1) as payouts,
       (select coalesce(json_agg(t), '[]') from payment_methods t where merchant_account_id = $1) as methods,
       (select coalesce(json_agg(t), '[]') from held_instruments t where merchant_account_id = $1) as held,
       (select coalesce(json_agg(t), '[]') from settlements t where merchant_account_id = $1) as settlements,
       (select coalesce(json_agg(t order by position, id), '[]') from events t where merchant_account_id = $1) as events`

interface Rows {
  transactions: TransactionRow[]
  operations: OperationRow[]
  payouts: PayoutRow[]
  methods: { id: string; provisional: boolean }[]
  held: { id: string }[]
  settlements: Snapshot['settlements']
  events: LoggedEvent[]
}

/** `lost`: the data that a restore removed cannot be compared and is left out on both sides. */
export async function snapshot(stage: Stage, merchant: Merchant, lost?: Lost): Promise<Snapshot> {
  const whole = await wholeSnapshot(stage, merchant)
  return lost && lost.transactions.size > 0 ? withoutLost(whole, lost) : whole
}

function withoutLost({ tables, books, ...rest }: Snapshot, lost: Lost): Snapshot {
  const gone = new Set(lost.operations)
  for (const { id, transaction_id } of tables.operations.values())
    if (lost.transactions.has(transaction_id)) gone.add(id)
  const keep = <T>(items: ReadonlyMap<string, T>, isKept: (item: T, key: string) => boolean) =>
    new Map([...items].filter(([key, item]) => isKept(item, key)))
  const isKnown = (_: unknown, id: string) => !lost.transactions.has(id)
  return {
    ...rest,
    tables: {
      ...tables,
      transactions: keep(tables.transactions, isKnown),
      payouts: keep(tables.payouts, isKnown),
      operations: keep(tables.operations, ({ id }) => !gone.has(id)),
    },
    books: {
      ...books,
      operations: keep(books.operations, (_, key) => !gone.has(key)),
      payments: keep(books.payments, ({ opened_by }) => !gone.has(opened_by)),
      giftCards: {
        ...books.giftCards,
        operations: books.giftCards.operations.filter(({ key }) => !gone.has(key)),
      },
    },
  }
}

async function wholeSnapshot(
  { railyard, books }: Stage,
  { account, card, second, wallet }: Merchant,
): Promise<Snapshot> {
  const [rows] = await railyard.world.run<Rows & QueryResultRow>(selectRows, [account])
  if (!rows) throw new Error('the select has one row')
  const byId = <T extends { id: string }>(items: T[]) => new Map(items.map((item) => [item.id, item]))
  const services = new Set([card, second, wallet])
  const cardServices = new Set(rows.transactions.flatMap(({ gift_cards }) => gift_cards?.service.id ?? []))
  const isOneOf =
    (ids: ReadonlySet<string>) =>
    ({ payment_service_id }: { payment_service_id: string }) =>
      ids.has(payment_service_id)
  return {
    tables: {
      transactions: byId(rows.transactions),
      operations: byId(rows.operations),
      payouts: byId(rows.payouts),
      methods: byId(rows.methods),
      held: rows.held.map(({ id }) => id),
    },
    events: rows.events,
    settlements: rows.settlements,
    books: structuredClone({
      operations: new Map(
        books.operations
          .values()
          .filter(isOneOf(services))
          .map(({ result }) => [result.key, result]),
      ),
      payments: new Map(
        books.payments
          .values()
          .filter(isOneOf(services))
          .map((payment) => [payment.payment_id, payment]),
      ),
      giftCards: {
        operations: [
          ...books.giftCards.operations
            .values()
            .filter(isOneOf(cardServices))
            .map(({ payment_service_id, result }) => ({ payment_service_id, ...result })),
        ],
        redemptions: [...books.giftCards.redemptions.values().filter(isOneOf(cardServices))],
      },
      entries: [],
      closed: books.closed,
    }),
  }
}
