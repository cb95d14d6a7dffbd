import { ofPayment } from '../../../database/partitions/payment-partitions.ts'
import { sqlFunction } from '../../../database/sql-function.ts'
import { withSharedCommit } from '../../../database/statements.ts'
import { settleDelegation } from './delegated-payment.sql.ts'
import { operationTarget, transactionTarget } from './event-target.sql.ts'
import { eventVariables, insertEvents, insertRows, storeAnswer } from './journal-steps.sql.ts'
import { insertLinkEvent, moveLink } from './payment-link.sql.ts'
import { releaseSpending } from './spending.sql.ts'
import { storedMethodSteps, storedMethodTypes } from './stored-method.sql.ts'

/**
 * One JSON list after the other. Nearly always one of them is empty, and the other is kept as it was sent.
 */
const appendedJson = (list: string, more: string): string =>
  `case when ${more}::text = '[]' then ${list} when ${list}::text = '[]' then ${more} else (${list}::jsonb || ${more}::jsonb)::json end`

/**
 * Lists of `packJson`, the newest first: PostgreSQL does not log again the bytes with which the new version of a row
 * ends like the old one. Null: there is none.
 */
const withNewList = (lists: string, newest: string): string =>
  `case when ${newest} is null then ${lists} else ${newest} || coalesce(${lists}, '') end`

/** Whether a status is that of an operation with an outcome that cannot change. */
const isFinal = (status: string) => `${status} in ('approved', 'declined', 'failed')`

/** Parameters of a function that records an outcome on an operation. */
export const outcomeTypes = {
  /** The operation's new status. */
  status: 'text',
  effectiveAmount: 'bigint',
  /** The payment service's id of the operation; null: the answer had none. */
  serviceOperationId: 'text',
  errorCode: 'text',
  /** `OperationDetails` of the outcome. */
  facts: 'jsonb',
  /** Records that are added, as a JSON list, or packed. */
  exchanges: 'json',
  packedExchanges: 'bytea',
  checkAt: 'timestamptz',
} as const

/**
 * Whether an operation whose notification was faster than its answer (`noteEarlyNotice`) is looked at once more: it is
 * pending and may be decided by now, or a payment or payout was refused that may be approved by now
 * (`late-outcome.ts`).
 */
const mayBeOutdated = (status: string): string =>
  `late_notice_at is not null and (${status} = 'pending' or (${status} in ('declined', 'failed') and kind in ('authorize', 'sale', 'payout')))`

/** The assignments that record an outcome on an operation. `journal_at` is declared with the event position. */
export const setOutcome = (
  p: Readonly<Record<keyof typeof outcomeTypes | 'now', string>>,
): string => `status = ${p.status},
         effective_amount = ${p.effectiveAmount},
         payment_service_operation_id = coalesce(${p.serviceOperationId}, payment_service_operation_id),
         error_code = ${p.errorCode},
         facts = jsonb_strip_nulls(facts || ${p.facts}),
         exchanges = ${appendedJson('exchanges', p.exchanges)},
         packed_exchanges = ${withNewList('packed_exchanges', p.packedExchanges)},
         check_at = case when ${mayBeOutdated(p.status)} then ${p.now} else ${p.checkAt} end,
         updated_at = ${p.now},
         settled_at = case when ${isFinal(p.status)} then ${p.now} end,
         journal_position = case when ${isFinal(p.status)} then journal_at end`

/**
 * Records an outcome: on the operation, what it changes on the transaction, the timeline, the outbox, the
 * stored answer and what follows, in one commit. It returns a `RecordOutcomeResult`, without the operation's records,
 * which no answer shows. An operation is recorded once: a second process finds it in no status that it may leave, gets
 * null, and writes nothing. Should the transaction have left what the change was computed from, or another operation
 * be under way where one is to follow, the function violates `transactions_status_known` and is taken back whole, to
 * be computed again. A payment that comes to nothing has no pending review any more, and one that is voided while its
 * review is pending has failed (semantics §3.2).
 */
export const recordOutcome = sqlFunction({
  name: 'record_outcome',
  parameters: {
    account: 'text',
    operationId: 'uuid',
    /** Of the operation: it says in which partition the rows are. */
    transactionId: 'uuid',
    now: 'timestamptz',
    /** The statuses that the operation may leave. */
    fromStatuses: 'text[]',
    /**
     * Set where the payment service rejected the operation unprocessed: it is recorded only while recovery has
     * not looked at the operation again.
     */
    onlyAfterChecks: 'int',
    /** Of an approved payment: the mark that it must not have got meanwhile; null: any. */
    notWithMark: 'text',
    ...outcomeTypes,
    checks: 'int',
    /** Rows of timelines, as JSON; most lines are among the operation's records. */
    timeline: 'json',
    /** Outbox events, numbered for each target, and how many each target has. */
    events: 'jsonb',
    transactionEvents: 'int',
    operationEvents: 'int',
    /** Whether this outcome is the answer to the request that claimed the idempotency key. */
    answers: 'boolean',
    /** The transaction's status that the change was computed from. */
    fromStatus: 'text',
    toStatus: 'text',
    intentOutcome: 'text',
    amount: 'bigint',
    authorized: 'bigint',
    captured: 'bigint',
    refunded: 'bigint',
    captureReserved: 'bigint',
    refundReserved: 'bigint',
    captureClosed: 'boolean',
    /** The operation that is under way from now on; null: none follows. */
    activeOperation: 'uuid',
    /** The transaction's response details from now on, beside the outcome's error code; null: both as they are. */
    transactionFacts: 'jsonb',
    /** The payment service's id of the payment; null: the answer had none. */
    serviceTransactionId: 'text',
    paymentServiceId: 'uuid',
    paymentService: 'jsonb',
    /** The column that gets the time, such as `authorized_at`. */
    stamp: 'text',
    nextTransactions: 'jsonb',
    nextOperations: 'jsonb',
    /**
     * Of a capture: the captured amounts that the change was computed from; null: other kinds do not look at
     * them.
     */
    fromCaptured: 'bigint',
    fromCaptureReserved: 'bigint',
    approval: 'jsonb',
    identifiers: 'jsonb',
    shippingDetails: 'jsonb',
    // from here on each is null where the outcome changes nothing of it, as most do
    /** What the next attempt is paid with, and what rules decided about it. */
    instrumentType: 'text',
    card: 'jsonb',
    actions: 'jsonb',
    ...storedMethodTypes,
    /** What becomes of gift card redemptions, as the function `redemptions_after` takes it. */
    redemptions: 'jsonb',
    /** A stored gift card that paid. */
    usedGiftCard: 'uuid',
    /**
     * A stored gift card that money went back to: it is not archived any more, unless its buyer has stored the
     * same card anew.
     */
    filledGiftCard: 'uuid',
    threeDSecure: 'jsonb',
    screening: 'jsonb',
    /** Whether the anti-fraud service holds the capture for a review. */
    pendingReview: 'boolean',
    /** Until when a cardholder may answer. */
    approvalExpiresAt: 'timestamptz',
    /** No challenge can be answered any more: the instrument that was sealed for one is deleted. */
    dropsSealedInstrument: 'boolean',
    /** The payment that this one renews, which may be captured again. */
    reopenedTransaction: 'uuid',
    /** A payment with a delegated payment: what the outcome means for it. */
    isDelegated: 'boolean',
    /** A payment through a payment link: the id of the event that tells what the outcome means for the link. */
    linkEventId: 'uuid',
    /** What a refused operation gives back to a spending limit. */
    releasedSpending: 'jsonb',
  },
  returns: 'json',
  body: (p) => `
declare
  journal_at bigint := event_position();
  recorded operations;
  changed transactions;
  method_id uuid;
  confirmed payment_methods;
  token payment_service_tokens;
  delegation delegated_payments;
  link payment_links;
  link_sequence int;
  next_transaction transactions;
  next_operation operations;${eventVariables}
  line record;
  released record;
  shown json;
  answered_before boolean := false;
begin
  update ${ofPayment('operations', p.transactionId)}
     set ${setOutcome(p)},
         event_count = event_count + ${p.operationEvents},
         checks = ${p.checks},
         payment_service_transaction_id = coalesce(${p.serviceTransactionId}, payment_service_transaction_id)
   where merchant_account_id = ${p.account}
     and id = ${p.operationId}
     and transaction_id = ${p.transactionId}
     and status = any(${p.fromStatuses})
     and (${p.onlyAfterChecks} is null or checks = ${p.onlyAfterChecks})
     and (${p.notWithMark} is null or mark is distinct from ${p.notWithMark})
  returning * into recorded;
  if not found then return null; end if;
  if ${p.paymentMethod} = 'refused' then
    select (payment_method->>'id')::uuid into method_id
      from ${ofPayment('transactions', p.transactionId)}
     where merchant_account_id = ${p.account}
       and id = ${p.transactionId};
  end if;
  update ${ofPayment('transactions', p.transactionId, 't')}
     set status = case when t.status = ${p.fromStatus}
                        and (${p.fromCaptured} is null
                             or (t.captured_amount, t.capture_reserved) = (${p.fromCaptured}, ${p.fromCaptureReserved}))
                        and (${p.activeOperation} is null or coalesce(t.active_operation_id, ${p.operationId}) = ${p.operationId})
                       then ${p.toStatus} else 'changed meanwhile' end,
         intent_outcome = coalesce(
           case when t.intent_outcome = 'pending'
                then coalesce(${p.intentOutcome}, case when t.pending_review and ${p.toStatus} = 'authorization_voided' then 'failed' end) end,
           t.intent_outcome),
         pending_review = coalesce(${p.pendingReview}, t.pending_review) and ${p.toStatus} not in ('authorization_voided', 'authorization_failed'),
         amount = t.amount + ${p.amount},
         authorized_amount = t.authorized_amount + ${p.authorized},
         captured_amount = t.captured_amount + ${p.captured},
         refunded_amount = t.refunded_amount + ${p.refunded},
         capture_reserved = t.capture_reserved + ${p.captureReserved},
         refund_reserved = t.refund_reserved + ${p.refundReserved},
         capture_closed = coalesce(${p.captureClosed}, t.capture_closed),
         event_count = t.event_count + ${p.transactionEvents},
         active_operation_id = case when coalesce(t.active_operation_id, ${p.operationId}) = ${p.operationId}
                                     and ${p.status} <> 'unknown'
                                     and (recorded.kind <> 'cancel' or ${p.status} <> 'pending')
                                    then ${p.activeOperation} else t.active_operation_id end,
         error_code = case when ${p.stamp} = 'canceled_at' then 'canceled'
                           when ${p.transactionFacts} is not null or (recorded.kind = 'redeem' and ${p.errorCode} is not null) then ${p.errorCode}
                           else t.error_code end,
         facts = coalesce(jsonb_strip_nulls(${p.transactionFacts}), t.facts),
         payment_service_transaction_id = case
           when recorded.input->'late_payment' is not null then t.payment_service_transaction_id
           else coalesce(recorded.payment_service_transaction_id, t.payment_service_transaction_id) end,
         payment_service_id = coalesce(${p.paymentServiceId}, t.payment_service_id),
         payment_service = coalesce(${p.paymentService}, t.payment_service),
         authorized_at = case when ${p.stamp} = 'authorized_at' or (${p.stamp} = 'captured_at' and t.authorized_at is null)
                              then ${p.now} else t.authorized_at end,
         captured_at = case when ${p.stamp} = 'captured_at' then ${p.now} else t.captured_at end,
         voided_at = case when ${p.stamp} = 'voided_at' then ${p.now} else t.voided_at end,
         canceled_at = case when ${p.stamp} = 'canceled_at' then ${p.now} else t.canceled_at end,
         buyer_approval_timedout_at = case when ${p.stamp} = 'buyer_approval_timedout_at' then ${p.now} else t.buyer_approval_timedout_at end,
         approval = case when ${p.approval} is null then t.approval else coalesce(t.approval, '{}') || ${p.approval} end,
         identifiers = case when ${p.identifiers} is null then t.identifiers else coalesce(t.identifiers, '{}') || ${p.identifiers} end,
         shipping_details = coalesce(${p.shippingDetails}, t.shipping_details),
         instrument_type = coalesce(${p.instrumentType}, t.instrument_type),
         actions = case when ${p.actions} is null then t.actions else coalesce(t.actions, '[]') || ${p.actions} end,
         three_d_secure = coalesce(${p.threeDSecure}, t.three_d_secure),
         anti_fraud = coalesce(${p.screening}, t.anti_fraud),
         approval_expires_at = coalesce(${p.approvalExpiresAt}, t.approval_expires_at),
         gift_cards = case when ${p.redemptions} is null then t.gift_cards else redemptions_after(t.gift_cards, ${p.redemptions}) end,
         payment_method = case
           when ${p.card} is not null then t.payment_method || ${p.card}
           when ${p.paymentMethod} = 'confirmed' then (t.payment_method - 'provisional' - 'being_stored') || coalesce(${p.storedToken}->'shown', '{}')
           when ${p.paymentMethod} = 'refused' and t.payment_method ? 'provisional' then t.payment_method - 'provisional' - 'id'
           when ${p.paymentMethod} = 'refused' then t.payment_method - 'being_stored'
           else t.payment_method end,
         updated_at = ${p.now}
   where t.merchant_account_id = ${p.account}
     and t.id = ${p.transactionId}
  returning * into changed;
  if ${p.stamp} = 'canceled_at' then
    update ${ofPayment('operations', p.transactionId)}
       set status = 'failed',
           error_code = 'canceled',
           check_at = null,
           updated_at = ${p.now},
           settled_at = ${p.now},
           journal_position = journal_at
     where merchant_account_id = ${p.account}
       and transaction_id = ${p.transactionId}
       and id <> ${p.operationId}
       and kind in ('authentication', 'approval', 'authorize', 'sale')
       and status = 'pending';
  end if;
  if ${p.paymentMethod} is not null then${storedMethodSteps(p)}
  end if;
  if ${p.dropsSealedInstrument} then
    delete from held_instruments where merchant_account_id = ${p.account} and id = ${p.transactionId};
  end if;
  if ${p.reopenedTransaction} is not null and changed.status = 'authorization_failed' then
    update transactions
       set capture_closed = false
     where merchant_account_id = ${p.account}
       and id = ${p.reopenedTransaction};
  end if;
  if ${p.usedGiftCard} is not null then
    update gift_cards
       set usage_count = usage_count + 1,
           last_used_at = ${p.now},
           cit_usage_count = cit_usage_count + case when changed.merchant_initiated then 0 else 1 end,
           cit_last_used_at = case when changed.merchant_initiated then cit_last_used_at else ${p.now} end
     where merchant_account_id = ${p.account}
       and id = ${p.usedGiftCard};
  end if;
  if ${p.filledGiftCard} is not null then
    update gift_cards g
       set archived_at = null
     where g.merchant_account_id = ${p.account}
       and g.id = ${p.filledGiftCard}
       and g.archived_at is not null
       and not exists (select from gift_cards other
                        where other.merchant_account_id = ${p.account}
                          and other.buyer_id = g.buyer_id
                          and other.fingerprint = g.fingerprint
                          and other.archived_at is null);
  end if;
  if ${p.isDelegated} then${settleDelegation({ account: p.account, transaction: 'changed', delegation: 'delegation', now: p.now })}
  end if;
  if ${p.linkEventId} is not null then${moveLink({ account: p.account, transaction: 'changed', link: 'link', now: p.now })}
    if found then${insertLinkEvent({ link: 'link', sequence: 'link_sequence', event: p.linkEventId })}
    end if;
  end if;
  if ${p.releasedSpending} is not null then${releaseSpending(p)}
  end if;${insertRows('transactions', 'next_transaction', p.nextTransactions)}${insertRows('operations', 'next_operation', p.nextOperations)}
  for line in select * from json_to_recordset(${p.timeline}) as given (transaction_id uuid, id uuid, entries json, packed bytea) loop
    insert into transaction_events (merchant_account_id, transaction_id, id, entries, packed)
    values (${p.account}, line.transaction_id, line.id, line.entries, line.packed);
  end loop;${insertEvents({
    account: p.account,
    events: p.events,
    targetId: `case event.target when 'transaction' then changed.id else recorded.id end`,
    sequence: `event.ordinal + case event.target when 'transaction' then changed.event_count - ${p.transactionEvents}
                                               else recorded.event_count - ${p.operationEvents} end`,
    target: `case event.target when 'transaction' then ${transactionTarget('changed', p.now)} else ${operationTarget('recorded', p.now)} end`,
    createdAt: p.now,
  })}
  recorded.exchanges := '[]';
  recorded.packed_exchanges := null;
  shown := json_build_object('transaction', row_to_json(changed), 'operation', row_to_json(recorded));
  if ${p.answers} then${storeAnswer(p.account, 'recorded', 'shown', 'answered_before')}
  end if;
  return json_build_object('recorded', shown, 'answered_before', answered_before, 'link_declines', link.declines);
end`,
})
withSharedCommit(recordOutcome.text)
