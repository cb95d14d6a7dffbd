import {
  type GiftCardTender,
  nextRedemption,
  nextRedemptionToUndo,
  redemptionsAfter,
} from '../../gift-cards/redemptions/redemption.ts'
import type { OperationOutcome, OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { leftToRefund } from '../actions/counted-money.ts'
import type { NextStep } from '../execution/next-step.ts'
import { newOperationOn, type OperationPlan } from '../new-operation.ts'
import { project } from '../projection.ts'
import type { TransactionRow } from '../transaction.row.ts'

const isRefused = ({ status }: OperationOutcome) => status === 'declined' || status === 'failed'

/**
 * The next step of a split tender (semantics §10): the payment method pays first, then each gift card is
 * redeemed. If a card refuses, a compensation undoes the parts that took effect: the payment method's part
 * first, since a gift card service that cannot redeem may not be able to reverse for a long time, either.
 * `capture` is the operation after all cards are redeemed. Undefined: gift cards do not decide what follows.
 */
export function nextSplitTenderStep(
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
  capture: OperationPlan | undefined,
): NextStep | undefined {
  if (row.gift_cards === null) return undefined
  const giftCards = redemptionsAfter(row.gift_cards, project(row, operation, outcome).redemptions ?? {})
  switch (operation.kind) {
    case 'authorize':
    case 'sale':
    case 'redeem': {
      // during a review the compensation waits for the decision (semantics §10)
      if (isRefused(outcome))
        return operation.kind === 'redeem' && !row.pending_review
          ? compensate(firstCompensation(row, giftCards))
          : undefined
      if (outcome.status !== 'approved') return undefined
      const card = nextRedemption(giftCards)
      const plan = card
        ? {
            kind: 'redeem' as const,
            amount: card.amount,
            paymentServiceId: null,
            input: { redemption: card.id },
          }
        : capture
      return plan && { kind: 'continue', operation: plan }
    }
    case 'capture':
      // a refused capture that belongs to the payment itself (intent `capture`) undoes the payment; a later
      // one the merchant can try again
      return isRefused(outcome) && row.intent === 'capture' && row.intent_outcome === 'pending'
        ? compensate(firstCompensation(row, giftCards))
        : undefined
    case 'void':
    case 'refund':
    case 'reverse':
      if (outcome.status !== 'approved' && !isRefused(outcome)) return undefined
      if (operation.input.undoes) return compensate(nextReversal(giftCards))
      // an earlier version undid the gift cards first, and recovery may find such a payment
      return operation.kind === 'reverse' ? compensate(firstCompensation(row, giftCards)) : undefined
    default:
      return undefined
  }
}

const compensate = (operation: OperationPlan | undefined): NextStep | undefined =>
  operation && { kind: 'compensate', operation }

/**
 * The first operation of a compensation: for the payment method's part, or for a gift card if that part did
 * not take effect. Money that a dispute has taken is not given back a second time.
 */
function firstCompensation(row: TransactionRow, giftCards: GiftCardTender): OperationPlan | undefined {
  const refundable = leftToRefund(row) - (row.disputed_amount ?? 0)
  if (refundable > 0) return { kind: 'refund', amount: refundable, input: { undoes: true } }
  return row.authorized_amount > 0 && row.captured_amount === 0
    ? { kind: 'void', amount: row.authorized_amount, input: { undoes: true } }
    : nextReversal(giftCards)
}

/** The reversal of what is left of the next redemption; undefined: none is left. */
function nextReversal(giftCards: GiftCardTender): OperationPlan | undefined {
  const redemption = nextRedemptionToUndo(giftCards)
  return (
    redemption && {
      kind: 'reverse',
      amount: redemption.amount - redemption.refunded,
      paymentServiceId: null,
      input: { undoes: true, redemption: redemption.id },
    }
  )
}

/**
 * The first compensation of a payment that a gift card refused during its review. Undefined: no part took
 * effect.
 */
export function compensationAfterReview(world: World, row: TransactionRow): OperationRow | undefined {
  const plan = row.gift_cards === null ? undefined : firstCompensation(row, row.gift_cards)
  return plan && newOperationOn(world, row, plan)
}
