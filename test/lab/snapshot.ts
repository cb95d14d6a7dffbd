import type { OperationRow } from '../../src/operations/operation.ts'
import type { PayoutRow } from '../../src/payouts/payout.row.ts'
import type { Result } from '../../src/sandbox/operation.ts'
import type { Payment } from '../../src/sandbox/payment.ts'
import type { TransactionRow } from '../../src/transactions/transaction.row.ts'
import type { Books } from '../crash/books.ts'
import type { Ours } from '../crash/ours.ts'
import type { GiftCardProviderBooks } from '../gift-card-truth.ts'
import type { Merchant, Stage } from './stage.ts'

export interface LoggedEvent {
  id: string
  name: string
  target_id: string
  sequence: number
  position: number
}

/** A merchant's money, as we have it and as the payment services' books have it. */
export interface Snapshot {
  ours: Ours
  books: Books & { closed: ReadonlySet<string>; attempts: Readonly<Record<string, number>> }
  /** In the order of the log. */
  events: LoggedEvent[]
}

interface BooksAnswer {
  operations: (Result & { payment_service_id: string })[]
  payments: Payment[]
  gift_cards: GiftCardProviderBooks
  closed: string[]
  attempts: Record<string, number>
}

export async function snapshot({ railyard }: Stage, { account, card, second, wallet }: Merchant): Promise<Snapshot> {
  const { run } = railyard.world
  const rows = async <T>(table: string) =>
    (await run<{ row: T }>(`select row_to_json(t) as row from ${table} t where merchant_account_id = $1`, [account])).map(({ row }) => row)
  const byId = <T extends { id: string }>(items: T[]) => new Map(items.map((item) => [item.id, item]))
  const operations = await rows<OperationRow>('operations')
  const ours: Ours = {
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
  const cardServices = new Set([...ours.transactions.values()].flatMap(({ gift_cards }) => gift_cards?.service.id ?? []))
  return {
    ours,
    events,
    books: {
      operations: new Map(answer.operations.filter(isOurs).map((operation) => [operation.key, operation])),
      payments: new Map(answer.payments.filter(isOurs).map((payment) => [payment.payment_id, payment])),
      giftCards: {
        operations: answer.gift_cards.operations.filter(({ payment_service_id }) => cardServices.has(payment_service_id)),
        redemptions: answer.gift_cards.redemptions.filter(({ payment_service_id }) => cardServices.has(payment_service_id)),
      },
      entries: [],
      closed: new Set(answer.closed),
      attempts: answer.attempts,
    },
  }
}
