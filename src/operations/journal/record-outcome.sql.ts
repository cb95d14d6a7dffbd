import { type NamedStatement, namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { withSharedCommit } from '../../database/statements.ts'
import { updateDelegation } from './delegated-payment.sql.ts'
import { countEvents, operationTarget, transactionTarget } from './event-target.sql.ts'
import { insertEvents, storeAnswer } from './journal-ctes.sql.ts'
import { updateLinkStatus, writeLinkEvent } from './payment-link.sql.ts'
import { releaseSpending } from './spending.sql.ts'
import { wholeParameters, wholeParts } from './whole-outcome.sql.ts'

const parameters = [
  'account',
  'operationId',
  /** Of the operation: it says in which partition the rows are. */
  'transactionId',
  'now',
  /** The statuses that the operation may leave. */
  'fromStatuses',
  /** The operation's new status. */
  'status',
  'effectiveAmount',
  /** The payment service's id of the operation; null: the answer had none. */
  'serviceOperationId',
  'errorCode',
  'facts',
  'exchanges',
  'packedExchanges',
  'checkAt',
  'checks',
  'timeline',
  /** Outbox events, numbered for each target. */
  'events',
  /** Whether this outcome is the answer to the request that claimed the idempotency key. */
  'answers',
  /** The transaction's status that the change was computed from. */
  'fromStatus',
  'toStatus',
  'intentOutcome',
  'amount',
  'authorized',
  'captured',
  'refunded',
  'captureReserved',
  'refundReserved',
  'captureClosed',
  /** The operation that is under way from now on; null: none follows. */
  'activeOperation',
  /** Whether the outcome's error code and facts become the transaction's. */
  'showsOutcome',
  /** The payment service's id of the payment; null: the answer had none. */
  'serviceTransactionId',
  'paymentServiceId',
  'paymentService',
  /** The column that gets the time, such as `authorized_at`. */
  'stamp',
  'nextTransactions',
  'nextOperations',
  /**
   * Of a capture: the captured amounts that the change was computed from; null: other kinds do not look at
   * them.
   */
  'fromCaptured',
  'fromCaptureReserved',
  'approval',
  'identifiers',
  'shippingDetails',
  /**
   * Set where the payment service rejected the operation unprocessed: it is recorded only while recovery has
   * not looked at the operation again.
   */
  'onlyAfterChecks',
] as const
type Parameter = (typeof parameters)[number]
type Parameters<More extends string> = Readonly<Record<Parameter | More, string>>

/**
 * What a statement does besides: `changes` are assignments to the transaction, `also` are further CTEs,
 * `shows` further columns of the answer.
 */
interface Parts {
  changes?: string
  also?: string
  /** Whether a review is pending, before the payment came to nothing. */
  pendingReview?: string
  shows?: string
}

/**
 * One JSON list after the other. Nearly always one of them is empty, and the other is kept as it was sent.
 */
export const appendedJson = (list: string, more: string): string =>
  `case when ${more}::text = '[]' then ${list} when ${list}::text = '[]' then ${more} else (${list}::jsonb || ${more}::jsonb)::json end`

/** Lists of `packJson`, one after the other; null: there is none. */
export const appendedBytes = (lists: string, more: string): string =>
  `case when ${more} is null then ${lists} else coalesce(${lists}, '') || ${more} end`

/** Whether a status is that of an operation with an outcome that cannot change. */
export const isFinal = (status: string) => `${status} in ('approved', 'declined', 'failed')`

/**
 * Records an outcome: on the operation, what it changes on the transaction, the timeline, the outbox, the
 * stored answer and what follows, in one commit. An operation is recorded once: a second process finds it in
 * no status that it may leave, and writes nothing. Should the transaction have left what the change was
 * computed from, or another operation be under way where one is to follow, the statement violates
 * `transactions_status_known` and is taken back whole, to be computed again. A payment that comes to nothing
 * has no pending review any more, and one that is voided while its review is pending has failed (semantics
 * §3.2).
 */
function recordOutcomeStatement<const More extends string>(
  more: readonly More[],
  partsOf: (p: Parameters<More>) => Parts,
): NamedStatement<Parameter | More> {
  const statement = namedStatement([...parameters, ...more], (p) => {
    const { changes = '', also = '', pendingReview = 't.pending_review', shows = '' } = partsOf(p)
    return `
with recorded as (
  update ${ofPayment('operations', p.transactionId)}
     set status = ${p.status},
         effective_amount = ${p.effectiveAmount}::bigint,
         payment_service_operation_id = coalesce(${p.serviceOperationId}, payment_service_operation_id),
         error_code = ${p.errorCode},
         event_count = event_count + ${countEvents('operation', p.events)},
         facts = jsonb_strip_nulls(facts || ${p.facts}::jsonb),
         exchanges = ${appendedJson('exchanges', `${p.exchanges}::json`)},
         packed_exchanges = ${appendedBytes('packed_exchanges', `${p.packedExchanges}::bytea`)},
         check_at = ${p.checkAt}::timestamptz,
         checks = ${p.checks}::int,
         updated_at = ${p.now}::timestamptz,
         settled_at = case when ${isFinal(p.status)} then ${p.now}::timestamptz end,
         payment_service_transaction_id = coalesce(${p.serviceTransactionId}, payment_service_transaction_id),
         journal_position = case when ${isFinal(p.status)} then event_position() end
   where merchant_account_id = ${p.account}
     and id = ${p.operationId}
     and transaction_id = ${p.transactionId}::uuid
     and status = any(${p.fromStatuses}::text[])
     and (${p.onlyAfterChecks}::int is null or checks = ${p.onlyAfterChecks}::int)
  returning *
), changed as (
  update ${ofPayment('transactions', p.transactionId, 't')}
     set status = case when t.status = ${p.fromStatus}
                        and (${p.fromCaptured}::bigint is null
                             or (t.captured_amount, t.capture_reserved) = (${p.fromCaptured}::bigint, ${p.fromCaptureReserved}::bigint))
                        and (${p.activeOperation}::uuid is null or coalesce(t.active_operation_id, ${p.operationId}) = ${p.operationId})
                       then ${p.toStatus} else 'changed meanwhile' end,
         intent_outcome = coalesce(
           case when t.intent_outcome = 'pending'
                then coalesce(${p.intentOutcome}, case when t.pending_review and ${p.toStatus} = 'authorization_voided' then 'failed' end) end,
           t.intent_outcome),
         pending_review = ${pendingReview} and ${p.toStatus} not in ('authorization_voided', 'authorization_failed'),
         amount = t.amount + ${p.amount}::bigint,
         authorized_amount = t.authorized_amount + ${p.authorized}::bigint,
         captured_amount = t.captured_amount + ${p.captured}::bigint,
         refunded_amount = t.refunded_amount + ${p.refunded}::bigint,
         capture_reserved = t.capture_reserved + ${p.captureReserved}::bigint,
         refund_reserved = t.refund_reserved + ${p.refundReserved}::bigint,
         capture_closed = coalesce(${p.captureClosed}, t.capture_closed),
         event_count = t.event_count + ${countEvents('transaction', p.events)},
         active_operation_id = case when coalesce(t.active_operation_id, ${p.operationId}) = ${p.operationId} and ${p.status} <> 'unknown'
                                    then ${p.activeOperation}::uuid else t.active_operation_id end,
         error_code = case when ${p.stamp} = 'canceled_at' then 'canceled'
                           when ${p.showsOutcome} or (r.kind = 'redeem' and ${p.errorCode} is not null) then ${p.errorCode}
                           else t.error_code end,
         facts = case when ${p.showsOutcome} then jsonb_strip_nulls(${p.facts}::jsonb) else t.facts end,
         payment_service_transaction_id = case
           when r.input->'late_payment' is not null then t.payment_service_transaction_id
           else coalesce(r.payment_service_transaction_id, t.payment_service_transaction_id) end,
         payment_service_id = coalesce(${p.paymentServiceId}::uuid, t.payment_service_id),
         payment_service = coalesce(${p.paymentService}::jsonb, t.payment_service),
         authorized_at = case when ${p.stamp} = 'authorized_at' or (${p.stamp} = 'captured_at' and t.authorized_at is null)
                              then ${p.now}::timestamptz else t.authorized_at end,
         captured_at = case when ${p.stamp} = 'captured_at' then ${p.now}::timestamptz else t.captured_at end,
         voided_at = case when ${p.stamp} = 'voided_at' then ${p.now}::timestamptz else t.voided_at end,
         canceled_at = case when ${p.stamp} = 'canceled_at' then ${p.now}::timestamptz else t.canceled_at end,
         buyer_approval_timedout_at = case when ${p.stamp} = 'buyer_approval_timedout_at' then ${p.now}::timestamptz
                                           else t.buyer_approval_timedout_at end,
         approval = case when ${p.approval}::jsonb is null then t.approval else coalesce(t.approval, '{}') || ${p.approval}::jsonb end,
         identifiers = case when ${p.identifiers}::jsonb is null then t.identifiers
                            else coalesce(t.identifiers, '{}') || ${p.identifiers}::jsonb end,
         shipping_details = coalesce(${p.shippingDetails}::jsonb, t.shipping_details),${changes}
         updated_at = ${p.now}::timestamptz
    from recorded r
   where t.merchant_account_id = r.merchant_account_id
     and t.id = ${p.transactionId}::uuid
  returning t.*
), canceled as (
  update ${ofPayment('operations', p.transactionId, 'o')}
     set status = 'failed',
         error_code = 'canceled',
         check_at = null,
         updated_at = ${p.now}::timestamptz,
         settled_at = ${p.now}::timestamptz,
         journal_position = event_position()
    from changed c
   where o.merchant_account_id = c.merchant_account_id
     and o.transaction_id = ${p.transactionId}::uuid
     and o.id <> ${p.operationId}
     and o.kind in ('authentication', 'approval', 'authorize', 'sale')
     and o.status = 'pending'
     and ${p.stamp} = 'canceled_at'
), ${also}next_transaction as (
  insert into transactions
  select row.*
    from recorded,
         jsonb_populate_recordset(null::transactions, ${p.nextTransactions}) row
), next_operation as (
  insert into operations
  select row.*
    from recorded,
         jsonb_populate_recordset(null::operations, ${p.nextOperations}) row
), timeline as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries, packed)
  select ${p.account},
         (part->>'transaction_id')::uuid,
         (part->>'id')::uuid,
         part->'entries',
         (part->>'packed')::bytea
    from recorded,
         json_array_elements(${p.timeline}::json) part
), outbox as (${insertEvents({
      from: `changed c, recorded r, jsonb_to_recordset(${p.events}) event (id uuid, name text, target text, ordinal int)`,
      account: p.account,
      targetId: `case event.target when 'transaction' then c.id else r.id end`,
      sequence: `event.ordinal + case event.target when 'transaction' then c.event_count - ${countEvents('transaction', p.events)}
                                           else r.event_count - ${countEvents('operation', p.events)} end`,
      target: `case event.target when 'transaction' then ${transactionTarget('c')} else ${operationTarget('r')} end`,
      createdAt: `${p.now}::timestamptz`,
    })}
), answered as (${storeAnswer(`json_build_object('transaction', row_to_json(c), 'operation', row_to_json(r))`, p.answers)}
)
select row_to_json(c) as transaction,
       row_to_json(r) as operation,
       ${p.answers} and r.idempotency_key is not null and not exists (select from answered) as answered_before${shows}
  from changed c, recorded r`
  })
  withSharedCommit(statement.text)
  return statement
}

/**
 * One statement for each set of columns that an outcome changes: most payments need `plain`, the shortest.
 * With `releases`, each also gives `releasedSpending` back.
 */
function recordOutcomeStatements({ releases }: { releases: boolean }) {
  const statement = <const More extends string>(
    more: readonly More[],
    partsOf: (p: Parameters<More>) => Parts,
  ): NamedStatement<Parameter | More | 'releasedSpending'> =>
    releases
      ? recordOutcomeStatement([...more, 'releasedSpending'], (p) => {
          const parts = partsOf(p)
          return { ...parts, also: `${parts.also ?? ''}${releaseSpending('recorded', p)}, ` }
        })
      : recordOutcomeStatement(more, partsOf)
  return {
    plain: statement([], () => ({})),

    /** The next attempt is paid with something else. Each parameter's null: as before. */
    withInstrument: statement(['instrumentType', 'card', 'actions'], (p) => ({
      changes: `
         instrument_type = coalesce(${p.instrumentType}, t.instrument_type),
         payment_method = t.payment_method || coalesce(${p.card}::jsonb, '{}'),
         actions = case when ${p.actions}::jsonb is null then t.actions else coalesce(t.actions, '[]') || ${p.actions}::jsonb end,`,
    })),

    whole: statement(wholeParameters, wholeParts),

    /** A payment with a delegated payment: what the outcome means for it, in the same commit. */
    delegated: statement(wholeParameters, (p) => {
      const parts = wholeParts(p)
      return { ...parts, also: `${parts.also}${updateDelegation('changed', `${p.now}::timestamptz`)}, ` }
    }),

    /** A payment through a payment link: what the outcome means for the link, in the same commit. */
    throughLink: statement([...wholeParameters, 'linkEventId'], (p) => {
      const parts = wholeParts(p)
      return {
        ...parts,
        also: `${parts.also}${updateLinkStatus('changed', `${p.now}::timestamptz`)}, ${writeLinkEvent(`${p.linkEventId}::uuid`)}, `,
        shows: ',\n       (select declines from link_moved) as link_declines',
      }
    }),
  } as const
}

export const recordOutcome = recordOutcomeStatements({ releases: false })

/** The refusal of an operation that has reserved part of a spending limit, which it gives back. */
export const recordReleasingOutcome = recordOutcomeStatements({ releases: true })
