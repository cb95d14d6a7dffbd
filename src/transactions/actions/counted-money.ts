import { currentRequest } from '../../api/request/request-context.ts'
import type { ApprovalBounds } from '../../api/values/approval-target.ts'
import type { FollowUpKind } from '../../operations/journal/intend-follow-up.ts'
import type { TransactionRow } from '../transaction.row.ts'

/** What was given back of a payment, or is about to be: by its payment method, and to its gift cards. */
export const refundedInAll = ({ refunded_amount, refund_reserved, gift_cards }: TransactionRow): number =>
  (gift_cards?.redemptions ?? []).reduce(
    (total, redemption) => total + redemption.refunded + redemption.refund_reserved,
    refunded_amount + refund_reserved,
  )

/**
 * What can still be refunded to the payment method, in the smallest unit of the currency: what was captured, without
 * what refunds have given back or have reserved. A dispute may have taken part of it.
 */
export const leftToRefund = ({
  captured_amount,
  refunded_amount,
  refund_reserved,
}: Pick<TransactionRow, 'captured_amount' | 'refunded_amount' | 'refund_reserved'>): number =>
  captured_amount - refunded_amount - refund_reserved

/** What the payment method and the gift cards have paid. */
export const paidInAll = ({ captured_amount, gift_cards }: TransactionRow): number =>
  (gift_cards?.redemptions ?? [])
    .filter(({ status }) => status === 'succeeded')
    .reduce((total, { amount }) => total + amount, captured_amount)

/** What was captured, or is about to be. */
export const capturedInAll = ({ captured_amount, capture_reserved }: TransactionRow): number =>
  captured_amount + capture_reserved

/** What counts together with an operation, for approval policies: the same as in the statement that intends it. */
const countedBefore: Record<FollowUpKind, (row: TransactionRow) => number> = {
  capture: capturedInAll,
  void: () => 0,
  cancel: () => 0,
  increment: () => 0,
  refund: refundedInAll,
  'gift-card-refund': refundedInAll,
}

/**
 * The bounds that the current request's operation must keep; undefined: none. Throws their refusal if the
 * transaction is beyond them already.
 */
export function approvalBoundsOf(
  row: TransactionRow,
  kind: FollowUpKind,
  amount: number,
): ApprovalBounds | undefined {
  const bounds = currentRequest()?.approvalBounds
  if (!bounds) return undefined
  const before = countedBefore[kind](row)
  const isKept =
    (bounds.upTo === null || before + amount <= bounds.upTo) &&
    (bounds.before === null || before === bounds.before)
  if (!isKept) throw bounds.refusal()
  return bounds
}

/** The first operation of a request has kept the bounds: what it counts is not a change by somebody else. */
export function expectOwnChange(): void {
  const bounds = currentRequest()?.approvalBounds
  if (bounds) bounds.before = null
}
