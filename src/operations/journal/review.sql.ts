import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { transactionTarget } from './event-target.sql.ts'
import { insertEvents, insertTimeline } from './journal-ctes.sql.ts'

/**
 * The statements of a review (semantics §3.2): the decision is recorded first, and the payment goes on
 * accordingly as soon as no operation is under way. Between the two the screening's row has a time
 * (`check_at`) and is recovery's, so that no decision is lost.
 */

/**
 * The first decision about a payment that this anti-fraud service (`serviceId`) holds; none after it counts.
 * No row back: nothing was written.
 */
export const recordReviewDecision = namedStatement(
  [
    'account',
    'transactionId',
    'serviceId',
    'decision',
    'now',
    'timelineId',
    'timelineEntries',
    'timelinePacked',
  ],
  (p) => `
with decided as (
  update ${ofPayment('transactions', p.transactionId)}
     set anti_fraud = anti_fraud || jsonb_build_object('decision', ${p.decision}::text),
         updated_at = ${p.now}::timestamptz
   where merchant_account_id = ${p.account}
     and id = ${p.transactionId}
     and pending_review
     and anti_fraud->>'decision' = 'review'
     and anti_fraud#>>'{service,id}' = ${p.serviceId}
  returning *
), due as (
  update ${ofPayment('operations', p.transactionId, 'o')}
     set check_at = ${p.now}::timestamptz
    from decided d
   where o.merchant_account_id = d.merchant_account_id
     and o.transaction_id = ${p.transactionId}
     and o.kind = 'screening'
     and o.settled_at is not null
), timeline as (${insertTimeline('decided', { id: `${p.timelineId}::uuid`, entries: `${p.timelineEntries}::json`, packed: `${p.timelinePacked}::bytea` })}
)
select row_to_json(decided) as transaction
  from decided`,
)

/**
 * What a decided review does to its payment, and what must hold for it. `given` holds the operation that
 * follows, its amount, and the status that it was decided from.
 */
const steps = {
  /** Accepted, and the capture was held. */
  capture: {
    set: `pending_review = false,
         capture_reserved = capture_reserved + given.amount,
         active_operation_id = given.operation`,
    guard: `t.anti_fraud->>'decision' = 'accept'
     and t.intent = 'capture'
     and t.intent_outcome = 'pending'
     and not t.capture_closed
     and t.captured_amount = 0
     and t.capture_reserved = 0
     and t.authorized_amount = given.amount`,
  },
  /**
   * Rejected: its review stays pending until it is voided, so that it cannot be captured where the void is
   * refused.
   */
  void: {
    set: 'active_operation_id = given.operation',
    guard: `t.anti_fraud->>'decision' = 'reject'
     and t.captured_amount = 0
     and t.capture_reserved = 0
     and t.authorized_amount = given.amount`,
  },
  /**
   * Accepted, but its gift cards have refused meanwhile: what took effect is undone, by the operation that
   * begins it.
   */
  undo: {
    set: `pending_review = false,
         active_operation_id = given.operation`,
    guard: `t.anti_fraud->>'decision' = 'accept'
     and t.gift_cards is not null
     and t.intent_outcome = 'failed'
     and t.captured_amount = 0
     and t.capture_reserved = 0`,
  },
  /** Nothing is left to do. */
  nothing: { set: 'pending_review = false', guard: 'given.operation is null' },
} as const

export type ReviewStep = keyof typeof steps

const followStatement = ({ set, guard }: { set: string; guard: string }) =>
  namedStatement(
    ['account', 'transactionId', 'operationId', 'amount', 'fromStatus', 'now', 'operations', 'events'],
    (p) => `
with given as (
  select ${p.operationId}::uuid as operation,
         ${p.amount}::bigint as amount,
         ${p.fromStatus}::text as status
), due as (
  select
    from ${ofPayment('operations', p.transactionId)}
   where merchant_account_id = ${p.account}
     and transaction_id = ${p.transactionId}
     and kind = 'screening'
     and settled_at is not null
     and check_at is not null
     for update
), released as (
  update ${ofPayment('transactions', p.transactionId, 't')}
     set ${set},
         event_count = t.event_count + jsonb_array_length(${p.events}::jsonb),
         updated_at = ${p.now}::timestamptz
    from given
   where t.merchant_account_id = ${p.account}
     and t.id = ${p.transactionId}
     and t.pending_review
     and t.active_operation_id is null
     and t.status = given.status
     and ${guard}
     and exists (select from due)
  returning t.*
), intended as (
  insert into operations
  select row.*
    from released,
         jsonb_populate_recordset(null::operations, ${p.operations}::jsonb) row
), done as (
  update ${ofPayment('operations', p.transactionId, 'o')}
     set check_at = null
    from released r
   where o.merchant_account_id = r.merchant_account_id
     and o.transaction_id = ${p.transactionId}
     and o.kind = 'screening'
     and o.settled_at is not null
), outbox as (${insertEvents({
      from: `released, jsonb_to_recordset(${p.events}::jsonb) event (id uuid, name text, ordinal int)`,
      targetId: 'released.id',
      sequence: `released.event_count - jsonb_array_length(${p.events}::jsonb) + event.ordinal`,
      target: transactionTarget('released'),
      createdAt: `${p.now}::timestamptz`,
    })}
)
select row_to_json(released) as transaction
  from released`,
  )

/**
 * One commit each. A decision is followed once: the first process to follow it takes the screening's time
 * (`check_at`), and a second one waits for that commit and then finds none, however long ago it read that
 * nothing had followed.
 */
export const followReviewDecision = {
  capture: followStatement(steps.capture),
  void: followStatement(steps.void),
  undo: followStatement(steps.undo),
  nothing: followStatement(steps.nothing),
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
