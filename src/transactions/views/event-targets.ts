import type { ResourceTarget } from '../../database/tables/events.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { EventRow } from '../../events/event.row.ts'
import type { CompleteTargets, EventTargets } from '../../events/event-target.ts'
import type { Redemption } from '../../gift-cards/redemptions/redemption.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { showCapture } from './capture.representation.ts'
import { showRefund } from './refund.representation.ts'
import { showTransaction } from './transaction.representation.ts'

/** What an event keeps of a transaction (`transactionTarget` of operations/journal/journal.sql.ts). What is null or nothing is left out. */
type TransactionTarget = ResourceTarget &
  Pick<TransactionRow, 'status' | 'amount' | 'authorized_amount' | 'captured_amount' | 'refunded_amount' | 'pending_review' | 'updated_at'> &
  Partial<
    Pick<
      TransactionRow,
      | 'external_identifier'
      | 'metadata'
      | 'payment_service_transaction_id'
      | 'intent_outcome'
      | 'error_code'
      | 'captured_at'
      | 'settled'
      | 'settled_amount'
      | 'settled_currency'
      | 'disputed'
      | 'disputed_amount'
      | 'identifiers'
    >
  > & {
    has_gift_card_redemptions: boolean
    anti_fraud_decision?: NonNullable<TransactionRow['anti_fraud']>['decision']
    redemptions?: Pick<Redemption, 'id' | 'status' | 'refunded' | 'reference' | 'error_code' | 'raw_error_code' | 'raw_error_message'>[]
  }

/** What it keeps of a capture or a refund. */
type OperationTarget = ResourceTarget & Pick<OperationRow, 'updated_at'> & Partial<Pick<OperationRow, 'error_code'>> & { status: string }

const undecidedStatuses = new Set(['processing', 'buyer_approval_pending', 'pending'])

/** A wallet's buyer may choose where it is sent to as they approve. */
const canBuyerChooseAddress = ({ approval }: TransactionRow): boolean => approval !== null && approval.asks !== 'issuer'

/** The row as it was when the event was written. What followed is null, and so are the credentials with which a buyer approves. */
function transactionAtEvent(row: TransactionRow, kept: TransactionTarget): TransactionRow {
  const now = timestamp(kept.updated_at)
  const ifBy = (time: string | null) => (time !== null && timestamp(time) <= now ? time : null)
  const then: TransactionRow = {
    ...row,
    status: kept.status,
    amount: kept.amount,
    authorized_amount: kept.authorized_amount,
    captured_amount: kept.captured_amount,
    refunded_amount: kept.refunded_amount,
    pending_review: kept.pending_review,
    payment_service_transaction_id: kept.payment_service_transaction_id ?? null,
    external_identifier: kept.external_identifier ?? null,
    metadata: kept.metadata ?? null,
    settled: kept.settled ?? false,
    settled_amount: kept.settled_amount ?? 0,
    settled_currency: kept.settled_currency ?? null,
    disputed: kept.disputed ?? false,
    disputed_amount: kept.disputed_amount ?? null,
    authorized_at: ifBy(row.authorized_at),
    captured_at: ifBy(row.captured_at),
    voided_at: ifBy(row.voided_at),
    canceled_at: ifBy(row.canceled_at),
    buyer_approval_timedout_at: ifBy(row.buyer_approval_timedout_at),
    approval: row.approval && { ...row.approval, url: null, session_token: null, session_data: null },
    updated_at: kept.updated_at,
    ...(undecidedStatuses.has(kept.status) && {
      facts: {},
      three_d_secure: null,
      shipping_details: canBuyerChooseAddress(row) ? null : row.shipping_details,
    }),
  }
  // events of earlier versions keep less, and are shown with what the row has now
  if (kept.intent_outcome === undefined) return then
  return {
    ...then,
    intent_outcome: kept.intent_outcome,
    error_code: kept.error_code ?? null,
    captured_at: kept.captured_at ?? null,
    identifiers: kept.identifiers ?? null,
    anti_fraud: row.anti_fraud && kept.anti_fraud_decision ? { ...row.anti_fraud, decision: kept.anti_fraud_decision } : null,
    gift_cards: row.gift_cards && {
      ...row.gift_cards,
      redemptions: row.gift_cards.redemptions.map((redemption) => ({
        ...redemption,
        ...kept.redemptions?.find(({ id }) => id === redemption.id),
      })),
    },
  }
}

const operationStatuses: Record<string, OperationRow['status']> = { succeeded: 'approved', declined: 'declined', failed: 'failed' }

/** The row as it was when the event was written. Events of settlements are the transaction's. */
function operationAtEvent(row: OperationRow, kept: OperationTarget): OperationRow {
  const then: OperationRow = {
    ...row,
    status: operationStatuses[kept.status] ?? 'pending',
    error_code: kept.error_code ?? null,
    updated_at: kept.updated_at,
    settled_amount: null,
    settled_currency: null,
  }
  return undecidedStatuses.has(kept.status) ? { ...then, facts: {}, effective_amount: null, payment_service_operation_id: null } : then
}

const readTransactions = `
select row_to_json(t) as transaction
  from transactions t join jsonb_to_recordset($1::jsonb) this (merchant_account_id text, id uuid) using (merchant_account_id, id)`

const readOperations = `
select row_to_json(o) as operation, row_to_json(t) as transaction
  from operations o
  join jsonb_to_recordset($1::jsonb) this (merchant_account_id text, id uuid) using (merchant_account_id, id)
  join transactions t on t.merchant_account_id = o.merchant_account_id and t.id = o.transaction_id`

/** What the events are about, each once. */
const targetIds = (events: readonly EventRow[]): string =>
  JSON.stringify([...new Map(events.map(({ merchant_account_id, target_id: id }) => [id, { merchant_account_id, id }])).values()])

/** What statements of Railyard have written into an event of this type. */
const targetOf = <Kept extends ResourceTarget>({ target }: EventRow) => target as Kept

const completeTransactions: CompleteTargets = async ({ run }, events) => {
  const rows = await run<{ transaction: TransactionRow }>(readTransactions, [targetIds(events)])
  const byId = new Map(rows.map(({ transaction }) => [transaction.id, transaction]))
  return new Map(
    events.flatMap((event) => {
      const row = byId.get(event.target_id)
      const kept = targetOf<TransactionTarget>(event)
      if (!row) return []
      const { has_gift_card_redemptions } = kept
      return [[event.id, { ...showTransaction(transactionAtEvent(row, kept)), has_gift_card_redemptions }]]
    }),
  )
}

const completeOperations: CompleteTargets = async ({ run }, events) => {
  const rows = await run<{ transaction: TransactionRow; operation: OperationRow }>(readOperations, [targetIds(events)])
  const byId = new Map(rows.map((row) => [row.operation.id, row]))
  return new Map(
    events.flatMap((event) => {
      const row = byId.get(event.target_id)
      if (!row) return []
      const operation = operationAtEvent(row.operation, targetOf<OperationTarget>(event))
      const shown = event.target.type === 'capture' ? showCapture(operation, row.transaction) : showRefund(operation, row.transaction)
      return [[event.id, shown]]
    }),
  )
}

export const eventTargets: EventTargets = { transaction: completeTransactions, capture: completeOperations, refund: completeOperations }
