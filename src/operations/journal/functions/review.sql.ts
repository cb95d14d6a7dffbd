import { namedStatement } from '../../../database/named-statement.ts'
import { ofPayment } from '../../../database/partitions/payment-partitions.ts'
import { sqlFunction } from '../../../database/sql-function.ts'
import { transactionTarget } from './event-target.sql.ts'
import {
  eventVariables,
  insertEvents,
  insertRows,
  insertTimeline,
  timelineTypes,
} from './journal-steps.sql.ts'

/**
 * The statements of a review (semantics §3.2): the decision is recorded first, and the payment goes on
 * accordingly as soon as no operation is under way. Between the two the screening's row has a time
 * (`check_at`) and is recovery's, so that no decision is lost.
 */

/**
 * The first decision about a payment that this anti-fraud service (`serviceId`) holds; none after it counts.
 * Null: nothing was written; otherwise the transaction.
 */
export const recordReviewDecision = sqlFunction({
  name: 'record_review_decision',
  parameters: {
    account: 'text',
    transactionId: 'uuid',
    serviceId: 'text',
    decision: 'text',
    now: 'timestamptz',
    ...timelineTypes,
  },
  returns: 'json',
  body: (p) => `
declare
  decided transactions;
begin
  update ${ofPayment('transactions', p.transactionId)}
     set anti_fraud = anti_fraud || jsonb_build_object('decision', ${p.decision}),
         updated_at = ${p.now}
   where merchant_account_id = ${p.account}
     and id = ${p.transactionId}
     and pending_review
     and anti_fraud->>'decision' = 'review'
     and anti_fraud#>>'{service,id}' = ${p.serviceId}
  returning * into decided;
  if not found then return null; end if;
  update ${ofPayment('operations', p.transactionId)}
     set check_at = ${p.now}
   where merchant_account_id = ${p.account}
     and transaction_id = ${p.transactionId}
     and kind = 'screening'
     and settled_at is not null;${insertTimeline(p, p.account, p.transactionId)}
  return row_to_json(decided);
end`,
})

/**
 * What a decided review does to its payment, and what must hold for it. `operation` is the operation that
 * follows, `kind` its kind, and `amount` its amount; all are null if none follows.
 */
const steps = ({ operation, kind, amount }: Readonly<Record<'operation' | 'kind' | 'amount', string>>) => ({
  /** Accepted, and the capture was held. */
  capture: {
    set: `pending_review = false,
         capture_reserved = capture_reserved + ${amount},
         active_operation_id = ${operation}`,
    guard: `t.anti_fraud->>'decision' = 'accept'
     and t.intent = 'capture'
     and t.intent_outcome = 'pending'
     and not t.capture_closed
     and t.captured_amount = 0
     and t.capture_reserved = 0
     and t.authorized_amount = ${amount}`,
  },
  /**
   * Rejected: its review stays pending until it is voided, so that it cannot be captured where the void is
   * refused.
   */
  void: {
    set: `active_operation_id = ${operation}`,
    guard: `t.anti_fraud->>'decision' = 'reject'
     and t.captured_amount = 0
     and t.capture_reserved = 0
     and t.authorized_amount = ${amount}`,
  },
  /**
   * Accepted, but its gift cards have refused meanwhile: what took effect is undone, by the operation that
   * begins it.
   */
  undo: {
    set: `pending_review = false,
         refund_reserved = t.refund_reserved + case when ${kind} = 'refund' then ${amount} else 0 end,
         active_operation_id = ${operation}`,
    guard: `t.anti_fraud->>'decision' = 'accept'
     and t.gift_cards is not null
     and t.intent_outcome = 'failed'
     and t.capture_reserved = 0
     and (${kind} is distinct from 'void' or t.captured_amount = 0)
     and (${kind} is distinct from 'refund'
          or t.captured_amount - t.refunded_amount - t.refund_reserved - coalesce(t.disputed_amount, 0) >= ${amount})`,
  },
  /** Nothing is left to do. */
  nothing: { set: 'pending_review = false', guard: `${operation} is null` },
})

export type ReviewStep = keyof ReturnType<typeof steps>

const followFunction = (step: ReviewStep) =>
  sqlFunction({
    name: `follow_review_${step}`,
    parameters: {
      account: 'text',
      transactionId: 'uuid',
      operationId: 'uuid',
      amount: 'bigint',
      /** The status that it was decided from. */
      fromStatus: 'text',
      now: 'timestamptz',
      operations: 'jsonb',
      events: 'jsonb',
    },
    returns: 'json',
    body: (p) => {
      const { set, guard } = steps({
        operation: p.operationId,
        kind: `${p.operations} #>> '{0,kind}'`,
        amount: p.amount,
      })[step]
      return `
declare
  released transactions;
  intended operations;${eventVariables}
begin
  perform from ${ofPayment('operations', p.transactionId)}
    where merchant_account_id = ${p.account}
      and transaction_id = ${p.transactionId}
      and kind = 'screening'
      and settled_at is not null
      and check_at is not null
      for update;
  if not found then return null; end if;
  update ${ofPayment('transactions', p.transactionId, 't')}
     set ${set},
         event_count = t.event_count + jsonb_array_length(${p.events}),
         updated_at = ${p.now}
   where t.merchant_account_id = ${p.account}
     and t.id = ${p.transactionId}
     and t.pending_review
     and t.active_operation_id is null
     and t.status = ${p.fromStatus}
     and ${guard}
  returning * into released;
  if not found then return null; end if;${insertRows('operations', 'intended', p.operations)}
  update ${ofPayment('operations', p.transactionId)}
     set check_at = null
   where merchant_account_id = ${p.account}
     and transaction_id = ${p.transactionId}
     and kind = 'screening'
     and settled_at is not null;${insertEvents({
       account: p.account,
       events: p.events,
       targetId: 'released.id',
       sequence: `released.event_count - jsonb_array_length(${p.events}) + event.ordinal`,
       target: transactionTarget('released', p.now),
       createdAt: p.now,
     })}
  return row_to_json(released);
end`
    },
  })

/**
 * One commit each; it returns the transaction, or null. A decision is followed once: the first process to
 * follow it takes the screening's time (`check_at`), and a second one waits for that commit and then finds
 * none, however long ago it read that nothing had followed.
 */
export const followReviewDecision = {
  capture: followFunction('capture'),
  void: followFunction('void'),
  undo: followFunction('undo'),
  nothing: followFunction('nothing'),
} as const satisfies Record<ReviewStep, unknown>

/**
 * `checkAt`: when recovery looks at the review again; null: never. A review that was followed meanwhile is
 * not looked at again.
 */
export const postponeReview = namedStatement(
  ['account', 'operationId', 'transactionId', 'checkAt'],
  (p) => `
update ${ofPayment('operations', p.transactionId)}
   set check_at = ${p.checkAt}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.operationId}
   and transaction_id = ${p.transactionId}
   and kind = 'screening'
   and settled_at is not null
   and check_at is not null`,
)
