import { type GiftCardTender, nextRedemption, nextRedemptionToUndo, redemptionsAfter } from '../../gift-cards/redemptions/redemption.ts'
import type { OperationOutcome, OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import type { NextStep } from '../execution/next-step.ts'
import { newOperationOn, type OperationPlan } from '../new-operation.ts'
import { project } from '../projection.ts'
import type { TransactionRow } from '../transaction.row.ts'

const isRefused = ({ status }: OperationOutcome) => status === 'declined' || status === 'failed'

/**
 * What follows in a payment that gift cards share (semantics §10): the payment method pays first, then each card is redeemed. Where one refuses, what took effect before it is
 * given back, the payment method's part first: a gift card service that could not redeem may not be able to put anything back for long, either. `capture`: what comes once all cards
 * are redeemed. Undefined: nothing that gift cards decide.
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
      // a payment with a pending review is left to the reviewer (semantics §10)
      if (isRefused(outcome)) return operation.kind === 'redeem' && !row.pending_review ? compensate(firstCompensation(row, giftCards)) : undefined
      if (outcome.status !== 'approved') return undefined
      const card = nextRedemption(giftCards)
      const plan = card ? { kind: 'redeem' as const, amount: card.amount, paymentServiceId: null, input: { redemption: card.id } } : capture
      return plan && { kind: 'continue', operation: plan }
    }
    case 'capture':
      // the capture that the payment's own request asked for is a part of the payment; a later one is the merchant's to try again
      return isRefused(outcome) && row.intent === 'capture' && row.intent_outcome === 'pending'
        ? compensate(firstCompensation(row, giftCards))
        : undefined
    case 'void':
    case 'refund':
    case 'reverse':
      if (outcome.status !== 'approved' && !isRefused(outcome)) return undefined
      if (operation.input.undoes) return compensate(nextReversal(giftCards))
      // a version before this one began with the gift cards
      return operation.kind === 'reverse' ? compensate(firstCompensation(row, giftCards)) : undefined
    default:
      return undefined
  }
}

const compensate = (operation: OperationPlan | undefined): NextStep | undefined => operation && { kind: 'compensate', operation }

/** The first thing to give back: the payment method's part, where it has one. */
function firstCompensation(row: TransactionRow, giftCards: GiftCardTender): OperationPlan | undefined {
  const captured = row.captured_amount - row.refunded_amount - row.refund_reserved
  if (captured > 0) return { kind: 'refund', amount: captured, input: { undoes: true } }
  return row.authorized_amount > 0 && row.captured_amount === 0
    ? { kind: 'void', amount: row.authorized_amount, input: { undoes: true } }
    : nextReversal(giftCards)
}

/** The next thing after it: what is left of a redemption. */
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

/** The operation that begins to undo a payment that gift cards could not complete, once its review is decided. Undefined: nothing is left of it. */
export function compensationAfterReview(world: World, row: TransactionRow): OperationRow | undefined {
  const plan = row.gift_cards === null ? undefined : firstCompensation(row, row.gift_cards)
  return plan && newOperationOn(world, row, plan)
}
