import { type GiftCardTender, nextRedemption, nextRedemptionToUndo, redemptionsAfter } from '../../gift-cards/redemptions/redemption.ts'
import { newOperation, type OperationOutcome, type OperationRow } from '../../operations/operation.ts'
import { answerDeadline, timeOf, type World } from '../../world.ts'
import { project } from '../projection.ts'
import type { TransactionRow } from '../transaction.row.ts'

const isRefused = ({ status }: OperationOutcome) => status === 'declined' || status === 'failed'

/**
 * What follows in a payment that gift cards share (SEMANTICS §10): the payment method pays first, then each card is redeemed; where one refuses, what took
 * effect before it is undone: the payment method's part first, since who could not redeem may not be able to put anything back for long, either.
 * `afterRedemptions`: what comes once all cards are redeemed. A function of the rows alone, so that recovery goes on where a process died.
 */
export function nextSplitTenderOperation(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
  afterRedemptions: () => OperationRow | undefined,
): OperationRow | undefined {
  if (row.gift_cards === null) return undefined
  const giftCards = redemptionsAfter(row.gift_cards, project(row, operation, outcome).redemptions ?? {})
  const next = (kind: OperationRow['kind'], amount: number, redemption?: string) =>
    newSplitTenderOperation(world, row, operation, kind, amount, redemption)
  switch (operation.kind) {
    case 'authorize':
    case 'sale':
    case 'redeem': {
      // a payment that is held for review is left to whoever reviews it (SEMANTICS §10)
      if (isRefused(outcome)) return operation.kind === 'redeem' && !row.pending_review ? firstCompensation(row, giftCards, next) : undefined
      if (outcome.status !== 'approved') return undefined
      const card = nextRedemption(giftCards)
      return card ? next('redeem', card.amount, card.id) : afterRedemptions()
    }
    case 'capture':
      // the capture that the request itself asked for is a part of the payment as well; one of later is the merchant's to try again
      return isRefused(outcome) && row.intent === 'capture' && row.intent_outcome === 'pending' ? firstCompensation(row, giftCards, next) : undefined
    case 'void':
    case 'refund':
    case 'reverse':
      if (outcome.status !== 'approved' && !isRefused(outcome)) return undefined
      if (operation.input.undoes) return nextReversal(giftCards, next)
      // a version before this one began with the gift cards
      return operation.kind === 'reverse' ? firstCompensation(row, giftCards, next) : undefined
    default:
      return undefined
  }
}

type NewSplitTenderOperation = (kind: OperationRow['kind'], amount: number, redemption?: string) => OperationRow

/** The first thing to give back: the payment method's part, where it has one. */
function firstCompensation(row: TransactionRow, giftCards: GiftCardTender, next: NewSplitTenderOperation): OperationRow | undefined {
  const captured = row.captured_amount - row.refunded_amount - row.refund_reserved
  if (captured > 0) return next('refund', captured)
  return row.authorized_amount > 0 && row.captured_amount === 0 ? next('void', row.authorized_amount) : nextReversal(giftCards, next)
}

/** The next thing after it: what is left of a redemption. */
function nextReversal(giftCards: GiftCardTender, next: NewSplitTenderOperation): OperationRow | undefined {
  const redemption = nextRedemptionToUndo(giftCards)
  return redemption && next('reverse', redemption.amount - redemption.refunded, redemption.id)
}

/** What begins to undo a payment that gift cards could not complete, where its review has kept it until now. Undefined: nothing is left of it. */
export const compensationAfterReview = (world: World, row: TransactionRow): OperationRow | undefined =>
  row.gift_cards === null
    ? undefined
    : firstCompensation(row, row.gift_cards, (kind, amount, redemption) => newSplitTenderOperation(world, row, {}, kind, amount, redemption))

/** The request's idempotency key goes on to the operation whose outcome will be its answer. */
function newSplitTenderOperation(
  world: World,
  row: TransactionRow,
  { idempotency_scope = null, idempotency_key = null }: Partial<OperationRow>,
  kind: OperationRow['kind'],
  amount: number,
  redemption?: string,
): OperationRow {
  return newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id: world.ids.next(),
      transaction_id: row.id,
      kind,
      amount,
      currency: row.currency,
      payment_service_id: redemption === undefined ? row.payment_service_id : null,
      check_at: answerDeadline(world),
      created_at: timeOf(world.clock),
    },
    // redeeming is what was asked for
    { idempotency_scope, idempotency_key, input: { ...(kind !== 'redeem' && { undoes: true }), ...(redemption !== undefined && { redemption }) } },
  )
}
