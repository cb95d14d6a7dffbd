import type { Facts } from '../connectors/connector.ts'
import { isGiftCardErrorCode } from '../connectors/gift-card-error-codes.ts'
import { nextRedemption, type RedemptionChanges, redemptionsAfter, skipUndecided } from '../gift-cards/redemptions/redemption.ts'
import type { OperationCode, OperationOutcome, OperationRow } from '../operations/operation.ts'
import { moveTo } from './status.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionIntentOutcome, TransactionStatus } from './transaction.schema.ts'

/** What an outcome changes on its transaction. Amounts are added, so that concurrent refunds never overwrite each other. */
export interface TransactionChange {
  status: TransactionStatus
  /** Null: as it is. */
  intentOutcome: TransactionIntentOutcome | null
  amount: number
  authorized: number
  captured: number
  refunded: number
  captureReserved: number
  refundReserved: number
  /** Null: as it is. */
  captureClosed: boolean | null
  /** What becomes of the gift card redemptions; null: nothing. */
  redemptions: RedemptionChanges | null
  stamp: 'authorized_at' | 'captured_at' | 'voided_at' | 'canceled_at' | 'buyer_approval_timedout_at' | null
}

/** What of a transaction the effect of an outcome depends on. */
export type ProjectedTransaction = Pick<
  TransactionRow,
  'status' | 'intent' | 'intent_outcome' | 'captured_amount' | 'capture_reserved' | 'gift_cards'
> & {
  payment_method: object | null
}
/** And of its operation. */
export type ProjectedOperation = Pick<OperationRow, 'kind' | 'amount' | 'input'>

/** The change that changes nothing. */
export const withoutChange = (row: Pick<ProjectedTransaction, 'status'>): TransactionChange => ({
  status: row.status,
  intentOutcome: null,
  amount: 0,
  authorized: 0,
  captured: 0,
  refunded: 0,
  captureReserved: 0,
  refundReserved: 0,
  captureClosed: null,
  redemptions: null,
  stamp: null,
})

type Projection = (row: ProjectedTransaction, operation: ProjectedOperation, outcome: OperationOutcome) => Partial<TransactionChange>

/** Where an authorized payment stands when no capture has succeeded: others may still be under way. */
const statusWithoutCapture = (row: ProjectedTransaction, reservedAfter: number): TransactionStatus =>
  row.captured_amount > 0 ? 'capture_succeeded' : reservedAfter > 0 ? 'capture_pending' : 'authorization_succeeded'

const failedAuthorization: Partial<TransactionChange> = { status: 'authorization_failed', intentOutcome: 'failed' }

/** What the buyer chose may have changed the amount (SPEC §4.12); no money has moved yet. */
const approval: Projection = (_row, operation, outcome) => {
  switch (outcome.status) {
    case 'pending':
      return { status: 'buyer_approval_pending' }
    case 'approved':
      // the difference, as gift cards may pay another part of the transaction's amount
      return { status: 'processing', amount: outcome.amount - operation.amount }
    case 'unknown':
      return {}
    default:
      return { ...failedAuthorization, stamp: outcome.code === 'incomplete_buyer_approval' ? 'buyer_approval_timedout_at' : null }
  }
}

/** An anti-fraud service's no ends the payment; a review holds the capture, and everything else goes on (SEMANTICS §6.3). */
const screening: Projection = (_row, _operation, outcome) => (outcome.status === 'declined' || outcome.status === 'failed' ? failedAuthorization : {})

const authorize: Projection = (row, _operation, outcome) => {
  if (outcome.status === 'approved') {
    // a split capture decides the intent's outcome, and before it the other tenders (SEMANTICS §3.4)
    const intentOutcome = row.intent === 'capture' || awaitsGiftCards(row) ? 'pending' : 'succeeded'
    return { status: 'authorization_succeeded', authorized: outcome.amount, intentOutcome, stamp: 'authorized_at' }
  }
  return outcome.status === 'declined' || outcome.status === 'failed' ? failedAuthorization : {}
}

const sale: Projection = (row, _operation, outcome) => {
  if (outcome.status === 'approved') {
    return {
      status: 'capture_succeeded',
      authorized: outcome.amount,
      captured: outcome.amount,
      captureClosed: true,
      intentOutcome: awaitsGiftCards(row) ? 'pending' : 'succeeded',
      stamp: 'captured_at',
    }
  }
  if (outcome.status === 'pending') return { status: 'capture_pending', captureClosed: true }
  return outcome.status === 'unknown' ? {} : failedAuthorization
}

const capture: Projection = (row, operation, outcome) => {
  const final = operation.input.final ?? true
  const intentOutcome = row.intent === 'capture' && row.intent_outcome === 'pending' ? (outcome.status === 'approved' ? 'succeeded' : 'failed') : null
  switch (outcome.status) {
    case 'approved':
      return {
        status: 'capture_succeeded',
        captured: operation.amount,
        captureReserved: -operation.amount,
        captureClosed: final || null,
        intentOutcome,
        stamp: 'captured_at',
      }
    case 'pending':
    case 'unknown':
      return { status: row.captured_amount > 0 ? 'capture_succeeded' : 'capture_pending', captureClosed: final || null }
    default: {
      const reserved = row.capture_reserved - operation.amount
      return {
        status: statusWithoutCapture(row, reserved),
        captureReserved: -operation.amount,
        captureClosed: final ? false : null,
        intentOutcome,
      }
    }
  }
}

const release: Projection = (_row, _operation, outcome) => {
  if (outcome.status === 'approved') return { status: 'authorization_voided', captureClosed: true, stamp: 'voided_at' }
  return { status: outcome.status === 'pending' || outcome.status === 'unknown' ? 'authorization_void_pending' : 'authorization_succeeded' }
}

/** Where the payment service has authorized the payment in the meantime, cancelling it released the money. */
const cancel: Projection = (row, operation, outcome) => {
  if (outcome.status !== 'approved') return {}
  return row.status === 'authorization_succeeded' ? release(row, operation, outcome) : { ...failedAuthorization, stamp: 'canceled_at' }
}

const increment: Projection = (_row, operation, outcome) =>
  outcome.status === 'approved' ? { authorized: operation.amount, amount: operation.amount } : {}

const refund: Projection = (_row, operation, outcome) => {
  if (outcome.status === 'approved') return { refunded: operation.amount, refundReserved: -operation.amount }
  return outcome.status === 'declined' || outcome.status === 'failed' ? { refundReserved: -operation.amount } : {}
}

const awaitsGiftCards = ({ gift_cards: giftCards }: ProjectedTransaction): boolean => giftCards !== null && nextRedemption(giftCards) !== undefined

const redeem: Projection = (row, operation, outcome) => {
  const { gift_cards: giftCards } = row
  const { redemption: id } = operation.input
  if (!giftCards || !id) return {}
  const alone = row.payment_method === null
  if (outcome.status === 'approved') {
    const redemptions = { [id]: { set: { status: 'succeeded' as const, reference: outcome.references.operation ?? null, sealed: null } } }
    const isLast = nextRedemption(redemptionsAfter(giftCards, redemptions)) === undefined
    // what is left is the capture of the payment method's part
    const succeeded = isLast && (alone || row.intent === 'authorize' || row.status === 'capture_succeeded')
    return { redemptions, ...(succeeded && { intentOutcome: 'succeeded' }), ...(isLast && alone && { status: 'capture_succeeded' }) }
  }
  if (outcome.status !== 'declined' && outcome.status !== 'failed') return {}
  const failed = { status: 'failed' as const, sealed: null, error_code: giftCardCode(outcome.code), ...rawError(outcome.facts) }
  const redemptions = { ...skipUndecided(giftCards), [id]: { set: failed } }
  return { redemptions, intentOutcome: 'failed', ...(alone && { status: 'authorization_failed' }) }
}

const giftCardCode = (code: OperationCode) => (isGiftCardErrorCode(code) ? code : 'unknown_error')
const rawError = ({ raw_response_code: code, raw_response_description: message }: Facts) => ({
  raw_error_code: code ?? null,
  raw_error_message: message ?? null,
})

/** Undoing a redemption puts all that is left of it back. One that is refused stands, for a person to look at. */
const reverse: Projection = (_row, { amount, input: { redemption: id } }, outcome) => {
  if (!id) return {}
  if (outcome.status === 'approved') return { redemptions: { [id]: { refunded: amount } } }
  return outcome.status === 'declined' || outcome.status === 'failed' ? { redemptions: { [id]: { set: { stuck: true } } } } : {}
}

const giftCardRefund: Projection = (_row, { amount, input: { redemption: id } }, outcome) => {
  if (!id) return {}
  if (outcome.status === 'approved') return { redemptions: { [id]: { refunded: amount, reserved: -amount } } }
  return outcome.status === 'declined' || outcome.status === 'failed' ? { redemptions: { [id]: { reserved: -amount } } } : {}
}

const projections: Record<OperationRow['kind'], Projection> = {
  screening,
  // the issuer asks the cardholder as a payment service asks its buyer
  authentication: approval,
  approval,
  authorize,
  sale,
  capture,
  void: release,
  cancel,
  increment,
  refund,
  redeem,
  reverse,
  'gift-card-refund': giftCardRefund,
  correction: () => ({}),
  // about no transaction
  payout: () => ({}),
}

/** The transaction as a function of its operations: what this outcome of this operation changes (DESIGN §5). */
export function project(row: ProjectedTransaction, operation: ProjectedOperation, outcome: OperationOutcome): TransactionChange {
  const change = { ...withoutChange(row), ...projections[operation.kind](row, operation, outcome) }
  const status = moveTo(row.status, change.status)
  // gift cards are asked for once the payment method has paid: where it does not, they never are
  const skips = status === 'authorization_failed' && row.status !== status && change.redemptions === null && row.gift_cards
  return { ...change, status, ...(skips && { redemptions: skipUndecided(skips) }) }
}
