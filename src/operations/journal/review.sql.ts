import { transactionTarget } from './journal.sql.ts'

/**
 * The statements of a review (SEMANTICS §3.2): first what was decided is written down, then the payment goes on accordingly, as soon as no operation is
 * under way. Between the two the screening's row has a time (`check_at`) and is recovery's, so that no decision is lost.
 */

/**
 * The first decision about a payment that the service ($3) holds; none after it counts. No row back: nothing was written.
 * $1 account, $2 transaction, $4 decision, $5 now, $6 story id, $7 story entries.
 */
export const recordReviewDecision = `
with decided as (
  update transactions set anti_fraud = anti_fraud || jsonb_build_object('decision', $4::text), updated_at = $5::timestamptz
   where merchant_account_id = $1 and id = $2 and pending_review and anti_fraud->>'decision' = 'review' and anti_fraud#>>'{service,id}' = $3
  returning *
), due as (
  update operations o set check_at = $5::timestamptz from decided d
   where o.merchant_account_id = d.merchant_account_id and o.transaction_id = d.id and o.kind = 'screening' and o.settled_at is not null
), story as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries)
  select merchant_account_id, id, $6::uuid, $7::json from decided
)
select row_to_json(decided) as transaction from decided`

/** What a decided review does to its payment, and what must hold for it. `given` holds the operation that follows, its amount, and the status that it was decided from. */
const reviewSteps = {
  /** Accepted, and the capture was held. */
  capture: {
    set: `pending_review = false, capture_reserved = capture_reserved + given.amount, active_operation_id = given.operation`,
    guard: `t.anti_fraud->>'decision' = 'accept' and t.intent = 'capture' and t.intent_outcome = 'pending' and not t.capture_closed
     and t.captured_amount = 0 and t.capture_reserved = 0 and t.authorized_amount = given.amount`,
  },
  /** Rejected: held until it is voided, so that nobody captures it where the void is refused. */
  void: {
    set: 'active_operation_id = given.operation',
    guard: `t.anti_fraud->>'decision' = 'reject' and t.captured_amount = 0 and t.capture_reserved = 0 and t.authorized_amount = given.amount`,
  },
  /** Accepted, but its gift cards have refused meanwhile: what took effect is undone, by the operation that begins it. */
  undo: {
    set: 'pending_review = false, active_operation_id = given.operation',
    guard: `t.anti_fraud->>'decision' = 'accept' and t.gift_cards is not null and t.intent_outcome = 'failed' and t.captured_amount = 0 and t.capture_reserved = 0`,
  },
  /** Nothing is left to do. */
  nothing: { set: 'pending_review = false', guard: 'given.operation is null' },
} as const

export type ReviewStep = keyof typeof reviewSteps

const followDecisionSql = ({ set, guard }: { set: string; guard: string }) => `
with given as (
  select $3::uuid as operation, $4::bigint as amount, $5::text as status
), due as (
  select from operations
   where merchant_account_id = $1 and transaction_id = $2 and kind = 'screening' and settled_at is not null and check_at is not null
     for update
), released as (
  update transactions t set ${set}, event_count = t.event_count + jsonb_array_length($8::jsonb), updated_at = $6::timestamptz
    from given
   where t.merchant_account_id = $1 and t.id = $2 and t.pending_review and t.active_operation_id is null and t.status = given.status and ${guard}
     and exists (select from due)
  returning t.*
), intended as (
  insert into operations select row.* from released, jsonb_populate_recordset(null::operations, $7::jsonb) row
), done as (
  update operations o set check_at = null from released r
   where o.merchant_account_id = r.merchant_account_id and o.transaction_id = r.id and o.kind = 'screening' and o.settled_at is not null
), told as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id, event.id, event.name, released.id, released.event_count - jsonb_array_length($8::jsonb) + event.ordinal,
         ${transactionTarget('released')}, $6::timestamptz
    from released, jsonb_to_recordset($8::jsonb) event (id uuid, name text, ordinal int)
)
select row_to_json(released) as transaction from released`

/**
 * One commit each. A decision is followed once: the first process to follow it takes the screening's time (`check_at`), and a second one waits for its commit and then finds
 * none, however long ago it read that nothing had followed. $1 account, $2 transaction, $3 operation, $4 amount, $5 status, $6 now, $7 operations as JSON, $8 outbox events as JSON. */
export const followReviewDecision: Record<ReviewStep, string> = {
  capture: followDecisionSql(reviewSteps.capture),
  void: followDecisionSql(reviewSteps.void),
  undo: followDecisionSql(reviewSteps.undo),
  nothing: followDecisionSql(reviewSteps.nothing),
}

/** $3: when recovery looks at it again; null: never. A review that was followed meanwhile is not looked at again. */
export const postponeReview = `
update operations set check_at = $3::timestamptz
 where merchant_account_id = $1 and id = $2 and kind = 'screening' and settled_at is not null and check_at is not null`
