import { ofPayment } from '../../../database/partitions/payment-partitions.ts'
import { insertRow } from '../../../database/rows/insert-row.ts'
import { sqlFunction } from '../../../database/sql-function.ts'
import { withSharedCommit } from '../../../database/statements.ts'
import { openStatusesInSql } from '../../operation.ts'
import {
  claimTypes,
  insertAuditEntries,
  insertClaim,
  insertTimeline,
  timelineTypes,
} from './journal-steps.sql.ts'
import { checkSpending, countSpending, spendingVariables } from './spending.sql.ts'

const parameters = {
  account: 'text',
  transactionId: 'uuid',
  operationId: 'uuid',
  amount: 'bigint',
  /** How far beyond the authorization a capture may go. */
  allowance: 'bigint',
  /** The most that may count after the operation without approval (src/approvals); null: any amount. */
  approvedUpTo: 'bigint',
  /** What must count before it, as an approved proposal was checked; null: any amount. */
  countedBefore: 'bigint',
  /** The operation, as JSON. */
  operation: 'jsonb',
  ...timelineTypes,
  ...claimTypes,
  now: 'timestamptz',
  auditEntry: 'jsonb',
  /** A `SpendingReservation`; null: the caller has no spending limit. */
  spending: 'jsonb',
} as const
type Parameters = Readonly<Record<keyof typeof parameters, string>>

/** What an operation reserves on its transaction, and what must hold for that. */
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
  `(${p.approvedUpTo} is null or ${counted} + ${p.amount} <= ${p.approvedUpTo})
       and (${p.countedBefore} is null or ${counted} = ${p.countedBefore})`

/** Whether a delegated payment, if one pays, allows this amount. */
const isWithinDelegation = (amount: string) =>
  `coalesce(${amount} <= (details #>> '{delegated_payment,max_amount}')::bigint, true)`

/**
 * Whether the payment has not failed because a gift card service refused a redemption. One that was captured before has
 * its gift cards' money, and has failed because the payment service took the capture back.
 */
const isNoFailedSplitTender = `not (gift_cards is not null and intent_outcome = 'failed' and captured_at is null)`

/** Whether every gift card has been redeemed, or refused. */
const isDecidedByGiftCards = `not coalesce(gift_cards @? '$.redemptions[*] ? (@.status == "created")', false)`

/**
 * Whether a compensation is under way, which will give gift cards back what they have paid. One that the service decides
 * later is not active.
 */
export const isBeingUndone = (account: string, transaction: string) => `exists (
       select from ${ofPayment('operations', transaction, 'undoing')}
        where undoing.merchant_account_id = ${account}
          and undoing.transaction_id = ${transaction}::uuid
          and undoing.kind in ('void', 'refund', 'reverse')
          and undoing.status in ${openStatusesInSql}
          and undoing.input->'undoes' = 'true')`

/** Whether the payment service has not decided an increment yet: the total of another one would leave it out. */
export const isBeingIncremented = (account: string, transaction: string) => `exists (
       select from ${ofPayment('operations', transaction, 'adding')}
        where adding.merchant_account_id = ${account}
          and adding.transaction_id = ${transaction}::uuid
          and adding.kind = 'increment'
          and adding.status in ${openStatusesInSql})`

const reservations = {
  capture: {
    set: (p) => `capture_reserved = capture_reserved + ${p.amount},
         over_capture_allowance = greatest(over_capture_allowance, ${p.allowance}),
         details = case when ${p.operation} #> '{input,airline}' is null then details
                        else jsonb_set(details, '{airline}', ${p.operation} #> '{input,airline}') end,
         active_operation_id = ${p.operationId}`,
    guard: (p) => `status in ('authorization_succeeded', 'capture_succeeded', 'capture_pending')
     and not capture_closed
     and not pending_review
     and active_operation_id is null
     and ${isDecidedByGiftCards}
     and ${isNoFailedSplitTender}
     and ${captured} + ${p.amount} <= authorized_amount + ${p.allowance}
     and ${isWithinDelegation(`${captured} + ${p.amount}`)}`,
    counted: captured,
  },
  void: {
    set: (p) => `active_operation_id = ${p.operationId}`,
    // what it releases is what was checked: the authorization may have been incremented since
    guard: (p) => `status = 'authorization_succeeded'
     and authorized_amount = ${p.amount}
     and captured_amount = 0
     and capture_reserved = 0
     and active_operation_id is null
     and ${isDecidedByGiftCards}`,
    counted: '0',
  },
  cancel: {
    set: (p) => `active_operation_id = ${p.operationId}`,
    guard: () => `status in ('processing', 'buyer_approval_pending')
     and active_operation_id is null`,
    counted: '0',
  },
  increment: {
    set: (p) => `active_operation_id = ${p.operationId}`,
    guard: (p) => `status = 'authorization_succeeded'
     and ${isWithinDelegation(`transactions.amount + ${p.amount}`)}
     and not capture_closed
     and not pending_review
     and active_operation_id is null
     and not ${isBeingIncremented(p.account, p.transactionId)}
     and ${isDecidedByGiftCards}
     and ${isNoFailedSplitTender}`,
    counted: '0',
  },
  // disputed money is refunded only where the merchant insists; while gift cards are redeemed or given back,
  // the payment method's part is given back by the payment itself
  refund: {
    set: (p) => `refund_reserved = refund_reserved + ${p.amount}`,
    guard: (p) => `status = 'capture_succeeded'
     and captured_amount - refunded_amount - refund_reserved >= ${p.amount}
     and (captured_amount - refunded_amount - refund_reserved - coalesce(disputed_amount, 0) >= ${p.amount}
          or (${p.operation} #>> '{input,forced}')::boolean)
     and (gift_cards is null
          or intent_outcome = 'succeeded'
          or (intent_outcome = 'failed' and active_operation_id is null))`,
    counted: givenBack,
  },
  // no part of a payment is put back while the others are still being redeemed
  'gift-card-refund': {
    set: (p) => `gift_cards = redemptions_after(gift_cards,
           jsonb_build_object(${p.operation} #>> '{input,redemption}', jsonb_build_object('reserved', ${p.amount})))`,
    guard: (p) => `active_operation_id is null
     and intent_outcome <> 'pending'
     and not (pending_review and intent_outcome = 'failed')
     and not ${isBeingUndone(p.account, p.transactionId)}
     and redemption_left(gift_cards, ${p.operation} #>> '{input,redemption}') >= ${p.amount}`,
    counted: givenBack,
  },
} as const satisfies Record<string, Reservation>

/** The kinds of operation that a merchant asks for on an existing transaction. */
export type FollowUpKind = keyof typeof reservations

function followUpFunction(kind: string, reservation: Reservation) {
  const { set, guard } = reservation
  const intendFunction = sqlFunction({
    name: `intend_${kind.replaceAll('-', '_')}`,
    parameters,
    returns: 'json',
    body: (p) => {
      const isAllowed = `merchant_account_id = ${p.account}
       and id = ${p.transactionId}
       and ${guard(p)}
       and ${isWithinApproval(reservation, p)}`
      return `
declare
  reserved transactions;
  intended operations := jsonb_populate_record(null::operations, ${p.operation});
  entry record;${spendingVariables}
begin
  if ${p.spending} is not null then
    -- the transaction is locked before the rows that count what is used, as by the function that records an outcome
    perform from ${ofPayment('transactions', p.transactionId)}
      where ${isAllowed}
        for update;
    if not found then return null; end if;${checkSpending(p)}
    if exceeded is not null then return json_build_object('exceeded', exceeded); end if;
  end if;
  update ${ofPayment('transactions', p.transactionId)}
     set ${set(p)},
         updated_at = ${p.now}
   where ${isAllowed}
  returning * into reserved;
  if not found then return null; end if;
  ${insertRow('operations', 'intended')}${insertClaim(p, {
    account: p.account,
    resourceId: `case when ${p.representation} like 'refund%' then ${p.operationId} else ${p.transactionId} end`,
    createdAt: p.now,
  })}${insertTimeline(p, p.account, p.transactionId)}${insertAuditEntries(p.account, p.auditEntry, 'reserved.external_identifier')}
  if ${p.spending} is not null then${countSpending(p)}
  end if;
  return json_build_object('transaction', row_to_json(reserved));
end`
    },
  })
  withSharedCommit(intendFunction.text)
  return intendFunction
}

/**
 * An operation on an existing transaction, in one commit. Null: the money or the state is not there any more.
 * `exceeded`: the `SpendingRefusal` by the caller's spending limit. Either way nothing was written.
 */
export const intendFollowUp = {
  capture: followUpFunction('capture', reservations.capture),
  void: followUpFunction('void', reservations.void),
  cancel: followUpFunction('cancel', reservations.cancel),
  increment: followUpFunction('increment', reservations.increment),
  refund: followUpFunction('refund', reservations.refund),
  'gift-card-refund': followUpFunction('gift-card-refund', reservations['gift-card-refund']),
} as const satisfies Record<FollowUpKind, unknown>
