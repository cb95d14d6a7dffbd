import { isGiftCardErrorCode } from '../connectors/contract/gift-card-error-codes.ts'
import type { ResponseDetails } from '../connectors/contract/outcome.ts'
import {
  nextRedemption,
  type RedemptionChanges,
  redemptionsAfter,
  skipUndecided,
} from '../gift-cards/redemptions/redemption.ts'
import {
  isLateCompensation,
  type OperationCode,
  type OperationOutcome,
  type OperationRow,
} from '../operations/operation.ts'
import { moveTo } from './status.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionIntentOutcome, TransactionStatus } from './transaction.schema.ts'

/**
 * What an outcome changes on its transaction. Amounts are differences that the database adds, so that
 * concurrent refunds never overwrite each other.
 */
export interface TransactionChange {
  status: TransactionStatus
  /** Null: unchanged. */
  intentOutcome: TransactionIntentOutcome | null
  amount: number
  authorized: number
  captured: number
  refunded: number
  captureReserved: number
  refundReserved: number
  /** Null: unchanged. */
  captureClosed: boolean | null
  /** The changes of the gift card redemptions; null: none. */
  redemptions: RedemptionChanges | null
  /** The column that gets the time of the outcome; null: none. */
  stamp: 'authorized_at' | 'captured_at' | 'voided_at' | 'canceled_at' | 'buyer_approval_timedout_at' | null
}

/** The part of a transaction on which the effect of an outcome depends. */
export type ProjectedTransaction = Pick<
  TransactionRow,
  'status' | 'intent' | 'intent_outcome' | 'captured_amount' | 'capture_reserved' | 'gift_cards'
> & {
  payment_method: object | null
}
/** The part of the operation on which it depends. */
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

type Projection = (
  row: ProjectedTransaction,
  operation: ProjectedOperation,
  outcome: OperationOutcome,
) => Partial<TransactionChange>

/**
 * The status of an authorized payment after a capture failed; other captures may have succeeded, or be under
 * way (`reservedAfter`).
 */
const statusWithoutCapture = (row: ProjectedTransaction, reservedAfter: number): TransactionStatus =>
  row.captured_amount > 0
    ? 'capture_succeeded'
    : reservedAfter > 0
      ? 'capture_pending'
      : 'authorization_succeeded'

const failedAuthorization: Partial<TransactionChange> = {
  status: 'authorization_failed',
  intentOutcome: 'failed',
}

/** The buyer's choice may have changed the amount (API §4.12); no money has moved yet. */
const approval: Projection = (_row, operation, outcome) => {
  switch (outcome.status) {
    case 'pending':
      return { status: 'buyer_approval_pending' }
    case 'approved':
      // add the difference only: gift cards may pay another part of the transaction's amount
      return { status: 'processing', amount: outcome.amount - operation.amount }
    case 'unknown':
      return {}
    default:
      return {
        ...failedAuthorization,
        stamp: outcome.code === 'incomplete_buyer_approval' ? 'buyer_approval_timedout_at' : null,
      }
  }
}

/**
 * A rejection ends the payment. After a review decision the payment goes on, and only its capture waits
 * (semantics §6.3).
 */
const screening: Projection = (_row, _operation, outcome) =>
  outcome.status === 'declined' || outcome.status === 'failed' ? failedAuthorization : {}

/** The buyer is at the provider: in a payment, a challenge, or a method whose buyer pays there. */
export const awaitsBuyer = (outcome: OperationOutcome): boolean =>
  outcome.status === 'pending' && outcome.approval !== undefined

/** A refused payment; it has timed out if its buyer did not come back from the provider. */
const refusedPayment = (outcome: OperationOutcome): Partial<TransactionChange> => ({
  ...failedAuthorization,
  stamp:
    'code' in outcome && outcome.code === 'incomplete_buyer_approval' ? 'buyer_approval_timedout_at' : null,
})

const authorize: Projection = (row, _operation, outcome) => {
  if (outcome.status === 'approved') {
    // the intent succeeds once the separate capture and the gift cards have (semantics §3.4)
    const intentOutcome = row.intent === 'capture' || awaitsGiftCards(row) ? 'pending' : 'succeeded'
    return {
      status: 'authorization_succeeded',
      authorized: outcome.amount,
      intentOutcome,
      stamp: 'authorized_at',
    }
  }
  if (awaitsBuyer(outcome)) return { status: 'buyer_approval_pending' }
  return outcome.status === 'declined' || outcome.status === 'failed' ? refusedPayment(outcome) : {}
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
  if (awaitsBuyer(outcome)) return { status: 'buyer_approval_pending', captureClosed: true }
  if (outcome.status === 'pending') return { status: 'capture_pending', captureClosed: true }
  return outcome.status === 'unknown' ? {} : refusedPayment(outcome)
}

const capture: Projection = (row, operation, outcome) => {
  const final = operation.input.final ?? true
  const intentOutcome =
    row.intent === 'capture' && row.intent_outcome === 'pending'
      ? outcome.status === 'approved'
        ? 'succeeded'
        : 'failed'
      : null
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
      return {
        status: row.captured_amount > 0 ? 'capture_succeeded' : 'capture_pending',
        captureClosed: final || null,
      }
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
  if (outcome.status === 'approved')
    return { status: 'authorization_voided', captureClosed: true, stamp: 'voided_at' }
  return {
    status:
      outcome.status === 'pending' || outcome.status === 'unknown'
        ? 'authorization_void_pending'
        : 'authorization_succeeded',
  }
}

/**
 * If the payment service has authorized the payment in the meantime, the cancellation released that
 * authorization.
 */
const cancel: Projection = (row, operation, outcome) => {
  if (outcome.status !== 'approved') return {}
  return row.status === 'authorization_succeeded'
    ? release(row, operation, outcome)
    : { ...failedAuthorization, stamp: 'canceled_at' }
}

const increment: Projection = (_row, operation, outcome) =>
  outcome.status === 'approved' ? { authorized: operation.amount, amount: operation.amount } : {}

const refund: Projection = (_row, operation, outcome) => {
  if (outcome.status === 'approved') return { refunded: operation.amount, refundReserved: -operation.amount }
  return outcome.status === 'declined' || outcome.status === 'failed'
    ? { refundReserved: -operation.amount }
    : {}
}

const awaitsGiftCards = ({ gift_cards: giftCards }: ProjectedTransaction): boolean =>
  giftCards !== null && nextRedemption(giftCards) !== undefined

const redeem: Projection = (row, operation, outcome) => {
  const { gift_cards: giftCards } = row
  const { redemption: id } = operation.input
  if (!giftCards || !id) return {}
  const isPaidByCardsAlone = row.payment_method === null
  if (outcome.status === 'approved') {
    const redemptions = {
      [id]: {
        set: { status: 'succeeded' as const, reference: outcome.references.operation ?? null, sealed: null },
      },
    }
    const isLast = nextRedemption(redemptionsAfter(giftCards, redemptions)) === undefined
    // otherwise the capture of the payment method's part is still to come
    const succeeded =
      isLast && (isPaidByCardsAlone || row.intent === 'authorize' || row.status === 'capture_succeeded')
    return {
      redemptions,
      ...(succeeded && { intentOutcome: 'succeeded' }),
      ...(isLast && isPaidByCardsAlone && { status: 'capture_succeeded' }),
    }
  }
  if (outcome.status !== 'declined' && outcome.status !== 'failed') return {}
  const failed = {
    status: 'failed' as const,
    sealed: null,
    error_code: giftCardCode(outcome.code),
    ...rawError(outcome.facts),
  }
  const redemptions = { ...skipUndecided(giftCards), [id]: { set: failed } }
  return {
    redemptions,
    intentOutcome: 'failed',
    ...(isPaidByCardsAlone && { status: 'authorization_failed' }),
  }
}

const giftCardCode = (code: OperationCode) => (isGiftCardErrorCode(code) ? code : 'unknown_error')
const rawError = ({ raw_response_code: code, raw_response_description: message }: ResponseDetails) => ({
  raw_error_code: code ?? null,
  raw_error_message: message ?? null,
})

/**
 * A reversal returns all that is left of a redemption. A redemption whose reversal is refused is `stuck`: a
 * person has to look at it.
 */
const reverse: Projection = (_row, { amount, input: { redemption: id } }, outcome) => {
  if (!id) return {}
  if (outcome.status === 'approved') return { redemptions: { [id]: { refunded: amount } } }
  return outcome.status === 'declined' || outcome.status === 'failed'
    ? { redemptions: { [id]: { set: { stuck: true } } } }
    : {}
}

const giftCardRefund: Projection = (_row, { amount, input: { redemption: id } }, outcome) => {
  if (!id) return {}
  if (outcome.status === 'approved') return { redemptions: { [id]: { refunded: amount, reserved: -amount } } }
  return outcome.status === 'declined' || outcome.status === 'failed'
    ? { redemptions: { [id]: { reserved: -amount } } }
    : {}
}

const projections: Record<OperationRow['kind'], Projection> = {
  screening,
  // a challenge waits for the cardholder as an approval waits for the buyer
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
  // the statement that writes a correction sets the values itself
  correction: () => ({}),
  // a late failure takes back amounts that it has to name (`projectLateFailure`)
  'late-failure': () => ({}),
  // a payout has no transaction
  payout: () => ({}),
}

/**
 * What this outcome of this operation changes on its transaction. A pure function: a transaction is the sum
 * of its operations, and `railyard verify` computes it again from them.
 */
export function project(
  row: ProjectedTransaction,
  operation: ProjectedOperation,
  outcome: OperationOutcome,
): TransactionChange {
  if (isLateCompensation(operation)) return withoutChange(row)
  const change = { ...withoutChange(row), ...projections[operation.kind](row, operation, outcome) }
  const status = moveTo(row.status, change.status)
  // gift cards are redeemed after the payment method has paid; when it fails, they never are
  const skips =
    status === 'authorization_failed' &&
    row.status !== status &&
    change.redemptions === null &&
    row.gift_cards
  return { ...change, status, ...(skips && { redemptions: skipUndecided(skips) }) }
}

/** Whose success is taken back, and how much. `redemption`: the one that a gift card kind is about. */
type FailedOperation = Pick<OperationRow, 'kind' | 'amount'> & {
  final: boolean
  redemption?: string | undefined
}

/**
 * What the late failure of an operation changes on its transaction: its amounts fall back, and with them the
 * status that they had brought. What gift cards have paid beside it stands: the merchant may refund it.
 * Undefined: an operation of this kind cannot be taken back by itself, or the payment is not decided.
 */
export function projectLateFailure(
  row: ProjectedTransaction,
  { kind, amount, final, redemption }: FailedOperation,
): TransactionChange | undefined {
  const unchanged = withoutChange(row)
  switch (kind) {
    case 'refund':
      return { ...unchanged, refunded: -amount }
    case 'gift-card-refund':
      return redemption === undefined
        ? undefined
        : { ...unchanged, redemptions: { [redemption]: { refunded: -amount } } }
    case 'reverse':
      // a person has to look at it, as at one that is refused at once
      return redemption === undefined
        ? undefined
        : { ...unchanged, redemptions: { [redemption]: { refunded: -amount, set: { stuck: true } } } }
    case 'capture': {
      const left = { ...row, captured_amount: row.captured_amount - amount }
      return {
        ...unchanged,
        captured: -amount,
        captureClosed: final ? false : null,
        status:
          row.status === 'capture_succeeded' ? statusWithoutCapture(left, row.capture_reserved) : row.status,
        intentOutcome: row.intent === 'capture' && left.captured_amount === 0 ? 'failed' : null,
      }
    }
    case 'sale': {
      // gift cards are being redeemed, or will be
      if (row.gift_cards && row.intent_outcome === 'pending') return undefined
      const isPaidInPart = row.gift_cards?.redemptions.some((each) => each.status === 'succeeded') ?? false
      return {
        ...unchanged,
        authorized: -amount,
        captured: -amount,
        status: row.status === 'capture_succeeded' && !isPaidInPart ? 'authorization_failed' : row.status,
        intentOutcome: 'failed',
      }
    }
    default:
      return undefined
  }
}
