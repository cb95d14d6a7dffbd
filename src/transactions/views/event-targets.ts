import type { StoredTarget } from '../../database/tables/events.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { EventRow } from '../../events/event.row.ts'
import type { CompleteTargets, EventTargets } from '../../events/event-target.ts'
import type { Redemption } from '../../gift-cards/redemptions/redemption.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { showCapture } from './capture.representation.ts'
import { showRefund } from './refund.representation.ts'
import { showTransaction } from './transaction.representation.ts'

/**
 * What an event stores of a transaction (`transactionTarget` in operations/journal/functions/event-target.sql.ts).
 * Absent: null, false or zero; of `updated_at`, the time of the event (`targetOf`).
 */
type TransactionTarget = StoredTarget &
  Pick<TransactionRow, 'status' | 'amount' | 'authorized_amount' | 'updated_at'> &
  Partial<
    Pick<
      TransactionRow,
      | 'captured_amount'
      | 'refunded_amount'
      | 'pending_review'
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
      | 'payment_service_id'
      | 'payment_service'
    >
  > & {
    anti_fraud_decision?: NonNullable<TransactionRow['anti_fraud']>['decision']
    redemptions?: Pick<
      Redemption,
      'id' | 'status' | 'refunded' | 'reference' | 'error_code' | 'raw_error_code' | 'raw_error_message'
    >[]
  }

/** What an event stores of a capture or a refund. */
type OperationTarget = StoredTarget &
  Pick<OperationRow, 'updated_at'> &
  Partial<Pick<OperationRow, 'error_code'>> & { status: string }

/** What an event does not store of a redemption while it is null. */
const undecidedRedemption = {
  reference: null,
  error_code: null,
  raw_error_code: null,
  raw_error_message: null,
} as const

const undecidedStatuses = new Set(['processing', 'buyer_approval_pending', 'pending'])

/** A wallet's buyer may choose the shipping address during the approval. */
const canBuyerChooseAddress = ({ approval }: TransactionRow): boolean =>
  approval !== null && approval.asks !== 'issuer'

/**
 * The row as it was when the event was written. What happened later is null, and so are the credentials of a
 * buyer's approval.
 */
function transactionAtEvent(row: TransactionRow, target: TransactionTarget): TransactionRow {
  const eventTime = timestamp(target.updated_at)
  const unlessLater = (time: string | null) => (time !== null && timestamp(time) <= eventTime ? time : null)
  const rowAtEvent: TransactionRow = {
    ...row,
    status: target.status,
    amount: target.amount,
    authorized_amount: target.authorized_amount,
    captured_amount: target.captured_amount ?? 0,
    refunded_amount: target.refunded_amount ?? 0,
    pending_review: target.pending_review ?? false,
    payment_service_transaction_id: target.payment_service_transaction_id ?? null,
    external_identifier: target.external_identifier ?? null,
    metadata: target.metadata ?? null,
    settled: target.settled ?? false,
    settled_amount: target.settled_amount ?? 0,
    settled_currency: target.settled_currency ?? null,
    disputed: target.disputed ?? false,
    disputed_amount: target.disputed_amount ?? null,
    authorized_at: unlessLater(row.authorized_at),
    captured_at: unlessLater(row.captured_at),
    voided_at: unlessLater(row.voided_at),
    canceled_at: unlessLater(row.canceled_at),
    buyer_approval_timedout_at: unlessLater(row.buyer_approval_timedout_at),
    approval: row.approval && { ...row.approval, url: null, session_token: null, session_data: null },
    updated_at: target.updated_at,
    ...(target.payment_service && {
      payment_service_id: target.payment_service_id ?? null,
      payment_service: target.payment_service,
    }),
    ...(undecidedStatuses.has(target.status) && {
      facts: {},
      three_d_secure: null,
      shipping_details: canBuyerChooseAddress(row) ? null : row.shipping_details,
    }),
  }
  // events of earlier versions store less, and are shown with what the row has now
  if (target.intent_outcome === undefined) return rowAtEvent
  return {
    ...rowAtEvent,
    intent_outcome: target.intent_outcome,
    error_code: target.error_code ?? null,
    captured_at: target.captured_at ?? null,
    identifiers: target.identifiers ?? null,
    anti_fraud:
      row.anti_fraud && target.anti_fraud_decision
        ? { ...row.anti_fraud, decision: target.anti_fraud_decision }
        : null,
    gift_cards: row.gift_cards && {
      ...row.gift_cards,
      redemptions: row.gift_cards.redemptions.map((redemption) => {
        const then = target.redemptions?.find(({ id }) => id === redemption.id)
        return then ? { ...redemption, ...undecidedRedemption, ...then } : redemption
      }),
    },
  }
}

const operationStatuses: Record<string, OperationRow['status']> = {
  succeeded: 'approved',
  declined: 'declined',
  failed: 'failed',
}

/**
 * The row as it was when the event was written, without a settlement: events about settlements are the
 * transaction's.
 */
function operationAtEvent(row: OperationRow, target: OperationTarget): OperationRow {
  const rowAtEvent: OperationRow = {
    ...row,
    status: operationStatuses[target.status] ?? 'pending',
    error_code: target.error_code ?? null,
    // what had succeeded then has failed later
    late_failure: target.status === 'failed' ? (row.late_failure ?? null) : null,
    updated_at: target.updated_at,
    settled_amount: null,
    settled_currency: null,
  }
  return undecidedStatuses.has(target.status)
    ? { ...rowAtEvent, facts: {}, effective_amount: null, payment_service_operation_id: null }
    : rowAtEvent
}

const selectTransactions = `
select row_to_json(t) as transaction
  from transactions t
  join jsonb_to_recordset($1::jsonb) target (merchant_account_id text, id uuid) using (merchant_account_id, id)`

const selectOperations = `
select row_to_json(o) as operation,
       row_to_json(t) as transaction
  from operations o
  join jsonb_to_recordset($1::jsonb) target (merchant_account_id text, id uuid) using (merchant_account_id, id)
  join transactions t
    on t.merchant_account_id = o.merchant_account_id
   and t.id = o.transaction_id`

/** The keys of the transactions or operations that the events are about, each once, as JSON. */
const targetIds = (events: readonly EventRow[]): string =>
  JSON.stringify([
    ...new Map(
      events.map(({ merchant_account_id, target_id: id }) => [id, { merchant_account_id, id }]),
    ).values(),
  ])

/** The stored target of an event: Railyard's own statements wrote it, so it has this type. */
const targetOf = <Target extends StoredTarget>({ target, created_at }: EventRow) =>
  ({ updated_at: created_at, ...target }) as unknown as Target

const completeTransactions: CompleteTargets = async ({ run }, events) => {
  const rows = await run<{ transaction: TransactionRow }>(selectTransactions, [targetIds(events)])
  const byId = new Map(rows.map(({ transaction }) => [transaction.id, transaction]))
  return new Map(
    events.flatMap((event) => {
      const row = byId.get(event.target_id)
      if (!row) return []
      const show = () => ({
        ...showTransaction(transactionAtEvent(row, targetOf<TransactionTarget>(event))),
        has_gift_card_redemptions: row.gift_cards !== null,
      })
      return [[event.id, show]]
    }),
  )
}

const completeOperations: CompleteTargets = async ({ run }, events) => {
  const rows = await run<{ transaction: TransactionRow; operation: OperationRow }>(selectOperations, [
    targetIds(events),
  ])
  const byId = new Map(rows.map((row) => [row.operation.id, row]))
  return new Map(
    events.flatMap((event) => {
      const row = byId.get(event.target_id)
      if (!row) return []
      const showOperation = event.target.type === 'capture' ? showCapture : showRefund
      const show = () =>
        showOperation(operationAtEvent(row.operation, targetOf<OperationTarget>(event)), row.transaction)
      return [[event.id, show]]
    }),
  )
}

/** Completes the stored targets of events to the resources that the event feed and webhooks send. */
export const eventTargets: EventTargets = {
  transaction: completeTransactions,
  capture: completeOperations,
  refund: completeOperations,
}
