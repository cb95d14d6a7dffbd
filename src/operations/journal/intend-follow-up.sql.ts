import { auditEntrySql } from '../../database/logs/audit-log.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { withSharedCommit } from '../../database/statements.ts'
import { insertClaim, insertTimeline } from './journal-ctes.sql.ts'

const parameters = [
  'account',
  'transactionId',
  'operationId',
  'amount',
  /** How far beyond the authorization a capture may go. */
  'allowance',
  /** The operation, as JSON. */
  'operation',
  'timelineId',
  'idempotencyScope',
  /** Null: the request has no idempotency key. */
  'idempotencyKey',
  'fingerprint',
  'representation',
  'now',
  'timelineEntries',
  'auditEntry',
] as const
type Parameters = Readonly<Record<(typeof parameters)[number], string>>

/**
 * What an operation reserves on its transaction, and what must hold for that. `given` holds the operation's
 * id, its amount and the over-capture allowance.
 */
interface Reservation {
  set: (p: Parameters) => string
  guard: (p: Parameters) => string
}

const reservations = {
  capture: {
    set: (p) => `capture_reserved = capture_reserved + given.amount,
         over_capture_allowance = greatest(over_capture_allowance, given.allowance),
         details = case when ${p.operation}::jsonb #> '{input,airline}' is null then details
                        else jsonb_set(details, '{airline}', ${p.operation}::jsonb #> '{input,airline}') end,
         active_operation_id = given.operation`,
    guard: () => `status in ('authorization_succeeded', 'capture_succeeded', 'capture_pending')
     and not capture_closed
     and not pending_review
     and active_operation_id is null
     and captured_amount + capture_reserved + given.amount <= authorized_amount + given.allowance`,
  },
  void: {
    set: () => 'active_operation_id = given.operation',
    guard: () => `status = 'authorization_succeeded'
     and captured_amount = 0
     and capture_reserved = 0
     and active_operation_id is null`,
  },
  cancel: {
    set: () => 'active_operation_id = given.operation',
    guard: () => `status in ('processing', 'buyer_approval_pending')
     and active_operation_id is null`,
  },
  increment: {
    set: () => 'active_operation_id = given.operation',
    guard: () => `status = 'authorization_succeeded'
     and not capture_closed
     and not pending_review
     and active_operation_id is null`,
  },
  // disputed money is refunded only where the merchant insists; while gift cards are redeemed or given back,
  // the payment method's part is given back by the payment itself
  refund: {
    set: () => 'refund_reserved = refund_reserved + given.amount',
    guard: (p) => `status = 'capture_succeeded'
     and captured_amount - refunded_amount - refund_reserved >= given.amount
     and (captured_amount - refunded_amount - refund_reserved - coalesce(disputed_amount, 0) >= given.amount
          or (${p.operation}::jsonb #>> '{input,forced}')::boolean)
     and (gift_cards is null
          or intent_outcome = 'succeeded'
          or (intent_outcome = 'failed' and active_operation_id is null))`,
  },
  // no part of a payment is put back while the others are still being redeemed
  'gift-card-refund': {
    set: (p) => `gift_cards = redemptions_after(gift_cards,
           jsonb_build_object(${p.operation}::jsonb #>> '{input,redemption}', jsonb_build_object('reserved', given.amount)))`,
    guard: (p) => `active_operation_id is null
     and intent_outcome <> 'pending'
     and redemption_left(gift_cards, ${p.operation}::jsonb #>> '{input,redemption}') >= given.amount`,
  },
} as const satisfies Record<string, Reservation>

/** The kinds of operation that a merchant asks for on an existing transaction. */
export type FollowUpKind = keyof typeof reservations

function followUpStatement({ set, guard }: Reservation) {
  const statement = namedStatement(
    parameters,
    (p) => `
with given as (
  select ${p.operationId}::uuid as operation,
         ${p.amount}::bigint as amount,
         ${p.allowance}::bigint as allowance
), reserved as (
  update transactions
     set ${set(p)},
         updated_at = ${p.now}::timestamptz
    from given
   where merchant_account_id = ${p.account}
     and id = ${p.transactionId}
     and ${guard(p)}
  returning transactions.*
), intended as (
  insert into operations
  select row.*
    from reserved,
         jsonb_populate_record(null::operations, ${p.operation}::jsonb) row
), claimed as (${insertClaim(p, {
      from: 'reserved',
      resourceId: `case when ${p.representation} like 'refund%' then ${p.operationId}::uuid else ${p.transactionId}::uuid end`,
      createdAt: `${p.now}::timestamptz`,
    })}
), timeline as (${insertTimeline('reserved', { id: `${p.timelineId}::uuid`, entries: `${p.timelineEntries}::json` })}
), audited as (${auditEntrySql('reserved', p.auditEntry, { name: 'reserved.external_identifier' })}
)
select row_to_json(reserved) as transaction
  from reserved`,
  )
  withSharedCommit(statement.text)
  return statement
}

/**
 * An operation on an existing transaction, in one commit. No row back: the money or the state is not there
 * any more, and nothing was written.
 */
export const intendFollowUp = {
  capture: followUpStatement(reservations.capture),
  void: followUpStatement(reservations.void),
  cancel: followUpStatement(reservations.cancel),
  increment: followUpStatement(reservations.increment),
  refund: followUpStatement(reservations.refund),
  'gift-card-refund': followUpStatement(reservations['gift-card-refund']),
} as const satisfies Record<FollowUpKind, unknown>
