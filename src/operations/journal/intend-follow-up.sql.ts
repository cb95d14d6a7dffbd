import { auditEntrySql } from '../../database/logs/audit-log.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import { withSharedCommit } from '../../database/statements.ts'
import { insertClaim, insertTimeline } from './journal-ctes.sql.ts'
import { checkSpending, countSpending } from './spending.sql.ts'

const parameters = [
  'account',
  'transactionId',
  'operationId',
  'amount',
  /** How far beyond the authorization a capture may go. */
  'allowance',
  /** The most that may count after the operation without approval (src/approvals); null: any amount. */
  'approvedUpTo',
  /** What must count before it, as an approved proposal was checked; null: any amount. */
  'countedBefore',
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
  'timelinePacked',
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
  /** What counts together with the operation, for approval policies. */
  counted: string
}

const captured = 'captured_amount + capture_reserved'

const givenBack = `refunded_amount + refund_reserved
         + coalesce((select sum((redemption->>'refunded')::bigint + (redemption->>'refund_reserved')::bigint)
                       from jsonb_array_elements(gift_cards->'redemptions') redemption), 0)`

/**
 * Whether the operation still needs no approval, or is still what was approved. Two refunds at once can each
 * be within the threshold of a policy when they are checked: the second to lock the transaction is not.
 */
const isWithinApproval = ({ counted }: Reservation, p: Parameters) =>
  `(${p.approvedUpTo}::bigint is null or ${counted} + given.amount <= ${p.approvedUpTo}::bigint)
     and (${p.countedBefore}::bigint is null or ${counted} = ${p.countedBefore}::bigint)`

/** Whether a delegated payment, if one pays, allows this amount. */
const isWithinDelegation = (amount: string) =>
  `coalesce(${amount} <= (details #>> '{delegated_payment,max_amount}')::bigint, true)`

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
     and ${captured} + given.amount <= authorized_amount + given.allowance
     and ${isWithinDelegation(`${captured} + given.amount`)}`,
    counted: captured,
  },
  void: {
    set: () => 'active_operation_id = given.operation',
    // what it releases is what was checked: the authorization may have been incremented since
    guard: () => `status = 'authorization_succeeded'
     and authorized_amount = given.amount
     and captured_amount = 0
     and capture_reserved = 0
     and active_operation_id is null`,
    counted: '0',
  },
  cancel: {
    set: () => 'active_operation_id = given.operation',
    guard: () => `status in ('processing', 'buyer_approval_pending')
     and active_operation_id is null`,
    counted: '0',
  },
  increment: {
    set: () => 'active_operation_id = given.operation',
    guard: () => `status = 'authorization_succeeded'
     and ${isWithinDelegation('transactions.amount + given.amount')}
     and not capture_closed
     and not pending_review
     and active_operation_id is null`,
    counted: '0',
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
    counted: givenBack,
  },
  // no part of a payment is put back while the others are still being redeemed
  'gift-card-refund': {
    set: (p) => `gift_cards = redemptions_after(gift_cards,
           jsonb_build_object(${p.operation}::jsonb #>> '{input,redemption}', jsonb_build_object('reserved', given.amount)))`,
    guard: (p) => `active_operation_id is null
     and intent_outcome <> 'pending'
     and redemption_left(gift_cards, ${p.operation}::jsonb #>> '{input,redemption}') >= given.amount`,
    counted: givenBack,
  },
} as const satisfies Record<string, Reservation>

/** The kinds of operation that a merchant asks for on an existing transaction. */
export type FollowUpKind = keyof typeof reservations

interface StatementParts {
  /** The CTEs that reserve: the last one is `reserved`, with the transaction's row. */
  reserve: string
  /** Further CTEs. */
  also?: string
  answers: string
}

const followUpSql = (p: Parameters, { reserve, also = '', answers }: StatementParts): string => `
with given as (
  select ${p.operationId}::uuid as operation,
         ${p.amount}::bigint as amount,
         ${p.allowance}::bigint as allowance
), ${reserve}, intended as (
  insert into operations
  select row.*
    from reserved,
         jsonb_populate_record(null::operations, ${p.operation}::jsonb) row
), claimed as (${insertClaim(p, {
  from: 'reserved',
  resourceId: `case when ${p.representation} like 'refund%' then ${p.operationId}::uuid else ${p.transactionId}::uuid end`,
  createdAt: `${p.now}::timestamptz`,
})}
), timeline as (${insertTimeline('reserved', { id: `${p.timelineId}::uuid`, entries: `${p.timelineEntries}::json`, packed: `${p.timelinePacked}::bytea` })}
), audited as (${auditEntrySql('reserved', p.auditEntry, { name: 'reserved.external_identifier' })}
)${also}
${answers}`

function followUpStatement(reservation: Reservation) {
  const { set, guard } = reservation
  const statement = namedStatement(parameters, (p) =>
    followUpSql(p, {
      reserve: `reserved as (
  update ${ofPayment('transactions', p.transactionId)}
     set ${set(p)},
         updated_at = ${p.now}::timestamptz
    from given
   where merchant_account_id = ${p.account}
     and id = ${p.transactionId}
     and ${guard(p)}
     and ${isWithinApproval(reservation, p)}
  returning transactions.*
)`,
      answers: `select row_to_json(reserved) as transaction
  from reserved`,
    }),
  )
  withSharedCommit(statement.text)
  return statement
}

/**
 * With a spending limit. It locks the transaction before the rows that count what is
 * used: the statement that records an outcome takes them in the same order.
 */
function limitedFollowUpStatement(reservation: Reservation) {
  const { set, guard } = reservation
  const statement = namedStatement([...parameters, 'spending'], (p) =>
    followUpSql(p, {
      reserve: `candidate as (
  select transactions.id as candidate_id
    from ${ofPayment('transactions', p.transactionId)}, given
   where merchant_account_id = ${p.account}
     and id = ${p.transactionId}
     and ${guard(p)}
     and ${isWithinApproval(reservation, p)}
     for update of transactions
), ${checkSpending('candidate', p)}, reserved as (
  update ${ofPayment('transactions', p.transactionId)}
     set ${set(p)},
         updated_at = ${p.now}::timestamptz
    from given, candidate
   where merchant_account_id = ${p.account}
     and id = candidate_id
     and not exists (select from exceeded)
  returning transactions.*
)`,
      also: `, ${countSpending('reserved')}`,
      answers: `select (select row_to_json(reserved) from reserved) as transaction,
       (select row_to_json(exceeded) from exceeded) as exceeded`,
    }),
  )
  withSharedCommit(statement.text)
  return statement
}

const forEachKind = <S>(statementOf: (reservation: Reservation) => S): Record<FollowUpKind, S> => ({
  capture: statementOf(reservations.capture),
  void: statementOf(reservations.void),
  cancel: statementOf(reservations.cancel),
  increment: statementOf(reservations.increment),
  refund: statementOf(reservations.refund),
  'gift-card-refund': statementOf(reservations['gift-card-refund']),
})

/**
 * An operation on an existing transaction, in one commit. No row back: the money or the state is not there
 * any more, and nothing was written.
 */
export const intendFollowUp = forEachKind(followUpStatement)

/**
 * The same for a caller with a spending limit. Nothing was written where the row has no transaction: the money
 * or the state is not there any more, or the limit would be exceeded.
 */
export const intendLimitedFollowUp = forEachKind(limitedFollowUpStatement)
