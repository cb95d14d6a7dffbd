import type { OperationRow } from '../../src/operations/operation.ts'
import type { PayoutRow } from '../../src/payouts/payout.row.ts'
import type { Result } from '../../src/sandbox/core/operation.ts'
import type { Payment } from '../../src/sandbox/core/payment.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import type { Books } from '../crash/books.ts'
import type { InstanceTables } from '../crash/read-tables.ts'
import type { GiftCardProviderBooks } from '../support/checks/gift-card-differences.ts'
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
  books: Books & { closed: ReadonlySet<string>; attempts: Readonly<Record<string, number>> }
  /** In the order of the log. */
  events: LoggedEvent[]
  /** The lines of the payment services' reports. */
  settlements: { transaction_id: string; type: string; gross_amount: number }[]
}

interface BooksAnswer {
  operations: (Result & { payment_service_id: string })[]
  payments: Payment[]
  gift_cards: GiftCardProviderBooks
  closed: string[]
  attempts: Record<string, number>
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
  { railyard }: Stage,
  { account, card, second, wallet }: Merchant,
): Promise<Snapshot> {
  const { run } = railyard.world
  const rows = async <T>(table: string) =>
    (
      await run<{ row: T }>(`select row_to_json(t) as row from ${table} t where merchant_account_id = $1`, [
        account,
      ])
    ).map(({ row }) => row)
  const byId = <T extends { id: string }>(items: T[]) => new Map(items.map((item) => [item.id, item]))
  const operations = await rows<OperationRow>('operations')
  const tables: InstanceTables = {
    transactions: byId(await rows<TransactionRow>('transactions')),
    operations: byId(operations),
    payouts: byId(await rows<PayoutRow>('payouts')),
    methods: byId(await rows<{ id: string; provisional: boolean }>('payment_methods')),
    held: (await rows<{ id: string }>('held_instruments')).map(({ id }) => id),
  }
  const events = await run<LoggedEvent & Record<string, unknown>>(
    'select id, name, target_id, sequence, position from events where merchant_account_id = $1 order by position, id',
    [account],
  )
  const answer: BooksAnswer = JSON.parse(await (await fetch(`${railyard.simulatorUrl}/books`)).text())
  const services = new Set([card, second, wallet])
  const isOurs = ({ payment_service_id }: { payment_service_id: string }) => services.has(payment_service_id)
  const cardServices = new Set(
    [...tables.transactions.values()].flatMap(({ gift_cards }) => gift_cards?.service.id ?? []),
  )
  return {
    tables,
    events,
    settlements: await rows('settlements'),
    books: {
      operations: new Map(answer.operations.filter(isOurs).map((operation) => [operation.key, operation])),
      payments: new Map(answer.payments.filter(isOurs).map((payment) => [payment.payment_id, payment])),
      giftCards: {
        operations: answer.gift_cards.operations.filter(({ payment_service_id }) =>
          cardServices.has(payment_service_id),
        ),
        redemptions: answer.gift_cards.redemptions.filter(({ payment_service_id }) =>
          cardServices.has(payment_service_id),
        ),
      },
      entries: [],
      closed: new Set(answer.closed),
      attempts: answer.attempts,
    },
  }
}
