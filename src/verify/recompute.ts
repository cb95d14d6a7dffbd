import { redemptionsAfter } from '../gift-cards/redemptions/redemption.ts'
import { isLateCompensation, isOpen, isPaymentKind, type OperationOutcome } from '../operations/operation.ts'
import {
  type ProjectedTransaction,
  project,
  projectLateFailure,
  type TransactionChange,
} from '../transactions/projection.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import type { JournaledOperation, JournaledTransaction } from './read-transactions.ts'

const stamps = [
  'authorized_at',
  'captured_at',
  'voided_at',
  'canceled_at',
  'buyer_approval_timedout_at',
] as const
const amounts = [
  'amount',
  'authorized_amount',
  'captured_amount',
  'refunded_amount',
  'refund_reserved',
] as const

/** The columns of a transaction that follow from its operations. */
export type RecomputedTransaction = ProjectedTransaction &
  Pick<
    TransactionRow,
    | (typeof stamps)[number]
    | (typeof amounts)[number]
    | 'capture_closed'
    | 'error_code'
    | 'payment_service_transaction_id'
  >

/**
 * The steps of a payment up to the one that moves money. At most one of them is open, and a refused one with
 * a later step was retried.
 */
const stepKinds: readonly JournaledOperation['kind'][] = [
  'screening',
  'authentication',
  'approval',
  'authorize',
  'sale',
]

export const isPaymentStep = ({ kind }: Pick<JournaledOperation, 'kind'>): boolean => stepKinds.includes(kind)
export const isPayment = ({ kind }: Pick<JournaledOperation, 'kind'>): boolean => isPaymentKind(kind)
export const isRefused = ({ status }: Pick<JournaledOperation, 'status'>): boolean =>
  status === 'declined' || status === 'failed'

/** True if another attempt followed, so that the refusal was no outcome of the payment. */
const wasRetried = (operation: JournaledOperation, operations: readonly JournaledOperation[]): boolean =>
  isRefused(operation) &&
  isPaymentStep(operation) &&
  operations.some((later) => later.kind !== 'screening' && isPaymentStep(later) && later.id > operation.id)

/**
 * Operations in the order in which they were decided. Operations without a journal position (of versions
 * before the column, which also write while processes are replaced) are ordered by their step and then by
 * their time.
 */
function inDecidedOrder(operations: readonly JournaledOperation[]): JournaledOperation[] {
  const isCorrected = operations.some(({ kind }) => kind === 'correction')
  const rank = (operation: JournaledOperation) =>
    isCorrected || isPaymentStep(operation) ? 0 : operation.kind === 'redeem' ? 1 : 2
  const areAllPlaced = operations.every(({ journal_position }) => journal_position !== null)
  const place = ({ journal_position }: JournaledOperation) => (areAllPlaced ? (journal_position ?? 0) : 0)
  const time = ({ settled_at }: JournaledOperation) => (settled_at === null ? 0 : Date.parse(settled_at))
  return operations.toSorted(
    (a, b) => rank(a) - rank(b) || place(a) - place(b) || time(a) - time(b) || (a.id < b.id ? -1 : 1),
  )
}

/** The transaction at its creation. Its amount is that of its first operation and of its gift cards. */
function created(
  { intent, gift_cards, payment_method, amount }: JournaledTransaction,
  operations: readonly JournaledOperation[],
): RecomputedTransaction {
  const cards = gift_cards?.redemptions.reduce((total, redemption) => total + redemption.amount, 0) ?? 0
  const first = operations.find(isPaymentStep)
  // refused at once because no payment service takes it: no operation has its amount, and no gift card was
  // charged
  const wasTried = operations.length > 0
  return {
    status: 'processing',
    intent,
    intent_outcome: 'pending',
    amount: first ? first.amount + cards : gift_cards && wasTried ? cards : amount,
    authorized_amount: 0,
    captured_amount: 0,
    refunded_amount: 0,
    capture_reserved: 0,
    refund_reserved: 0,
    capture_closed: false,
    payment_method,
    gift_cards: gift_cards && {
      ...gift_cards,
      redemptions: gift_cards.redemptions.map((redemption) => ({
        ...redemption,
        status: wasTried ? 'created' : 'skipped',
        refunded: 0,
        refund_reserved: 0,
        stuck: false,
      })),
    },
    error_code: null,
    payment_service_transaction_id: null,
    authorized_at: null,
    captured_at: null,
    voided_at: null,
    canceled_at: null,
    buyer_approval_timedout_at: null,
  }
}

/** `inPayment`: an open payment waits for its buyer. */
function outcomeOf(
  {
    kind,
    status,
    amount,
    effective_amount,
    error_code,
    payment_service_operation_id: id,
  }: JournaledOperation,
  inPayment: boolean,
): OperationOutcome {
  const references = id === null ? {} : { operation: id }
  if (status === 'approved') return { status, amount: effective_amount ?? amount, facts: {}, references }
  const refusal = { code: error_code ?? 'unknown_error', facts: {}, references } as const
  if (status === 'declined') return { status, ...refusal }
  if (status === 'failed') return { status, ...refusal }
  if (status !== 'pending') return { status: 'unknown', reason: '' }
  const approval = isPaymentKind(kind) && inPayment ? { url: null, sessionData: null } : undefined
  return { status, facts: {}, references, ...(approval && { approval }) }
}

/** The reservation of an operation whose outcome is not known yet. */
function reserve(
  row: RecomputedTransaction,
  { kind, amount, input }: JournaledOperation,
): RecomputedTransaction {
  if (isLateCompensation({ kind, input })) return row
  if (kind === 'capture') return { ...row, capture_reserved: row.capture_reserved + amount }
  if (kind === 'refund') return { ...row, refund_reserved: row.refund_reserved + amount }
  if (kind !== 'gift-card-refund' || !row.gift_cards || input.redemption === undefined) return row
  return {
    ...row,
    gift_cards: redemptionsAfter(row.gift_cards, { [input.redemption]: { reserved: amount } }),
  }
}

/**
 * Applies a person's correction (`transactions/actions/correct-transaction.ts`): a new status also sets the
 * outcome, the error code and the timestamps of that status.
 */
function correct(
  row: RecomputedTransaction,
  { input: { before, after }, settled_at: at }: JournaledOperation,
): RecomputedTransaction {
  const number = (of: Record<string, unknown> | undefined, name: string) => Number(of?.[name] ?? 0)
  const added = Object.fromEntries(
    amounts.map((name) => [name, row[name] + number(after, name) - number(before, name)]),
  )
  const replaced = ['status', 'payment_service_transaction_id'].filter(
    (name) => after !== undefined && name in after,
  )
  const corrected = { ...row, ...added, ...Object.fromEntries(replaced.map((name) => [name, after?.[name]])) }
  switch (after?.['status']) {
    case 'authorization_failed':
    case 'authorization_declined':
      return { ...corrected, intent_outcome: 'failed' }
    case 'authorization_voided':
      return { ...corrected, voided_at: row.voided_at ?? at }
    case 'authorization_succeeded': {
      const outcome = row.intent === 'authorize' ? 'succeeded' : row.intent_outcome
      return {
        ...corrected,
        intent_outcome: outcome,
        error_code: null,
        authorized_at: row.authorized_at ?? at,
      }
    }
    case 'capture_succeeded':
      return {
        ...corrected,
        intent_outcome: 'succeeded',
        error_code: null,
        authorized_at: row.authorized_at ?? at,
        captured_at: row.captured_at ?? at,
      }
    default:
      return corrected
  }
}

const giftCardsAfter = (
  { gift_cards: giftCards }: RecomputedTransaction,
  { redemptions }: TransactionChange,
): RecomputedTransaction['gift_cards'] =>
  giftCards && redemptions ? redemptionsAfter(giftCards, redemptions) : giftCards

/** Takes the amounts of an operation back that failed after it had succeeded. */
function takeBack(
  row: RecomputedTransaction,
  { amount, input: { failed, redemption }, error_code }: JournaledOperation,
): RecomputedTransaction {
  const change = failed && projectLateFailure(row, { ...failed, amount, redemption })
  return change
    ? {
        ...row,
        status: change.status,
        intent_outcome: change.intentOutcome ?? row.intent_outcome,
        authorized_amount: row.authorized_amount + change.authorized,
        captured_amount: row.captured_amount + change.captured,
        refunded_amount: row.refunded_amount + change.refunded,
        capture_closed: change.captureClosed ?? row.capture_closed,
        gift_cards: giftCardsAfter(row, change),
        error_code: failed.kind === 'sale' ? error_code : row.error_code,
      }
    : row
}

/** Whether an operation's error code becomes the transaction's. */
const showsError = (operation: JournaledOperation): boolean =>
  isPayment(operation)
    ? operation.status !== 'unknown'
    : isRefused(operation) &&
      (isPaymentStep(operation) || (operation.kind === 'redeem' && operation.error_code !== null))

/**
 * Applies the outcome of an operation to its transaction, as the journal's statements do. `isReviewed`: an
 * anti-fraud service asked for a review.
 */
function applyOutcome(
  row: RecomputedTransaction,
  operation: JournaledOperation,
  { isReviewed, inPayment }: { isReviewed: boolean; inPayment: boolean },
): RecomputedTransaction {
  // its ids are those of the late payment, too
  if (isLateCompensation(operation)) return row
  const change = project(row, operation, outcomeOf(operation, inPayment))
  const at = operation.settled_at
  const refusedByReview = isReviewed && change.status === 'authorization_voided' ? 'failed' : null
  return {
    ...row,
    status: change.status,
    intent_outcome:
      row.intent_outcome === 'pending'
        ? (change.intentOutcome ?? refusedByReview ?? 'pending')
        : row.intent_outcome,
    amount: row.amount + change.amount,
    authorized_amount: row.authorized_amount + change.authorized,
    captured_amount: row.captured_amount + change.captured,
    refunded_amount: row.refunded_amount + change.refunded,
    capture_reserved: row.capture_reserved + change.captureReserved,
    refund_reserved: row.refund_reserved + change.refundReserved,
    capture_closed: change.captureClosed ?? row.capture_closed,
    gift_cards: giftCardsAfter(row, change),
    error_code:
      change.stamp === 'canceled_at'
        ? 'canceled'
        : showsError(operation)
          ? operation.error_code
          : row.error_code,
    payment_service_transaction_id: paymentIdAfter(row, operation),
    ...(change.stamp === 'captured_at' && { authorized_at: row.authorized_at ?? at }),
    ...(change.stamp && { [change.stamp]: at }),
  }
}

/**
 * The payment service's id of the payment. Refunds of versions before migration 086 may have the id of the capture
 * that they chose.
 */
const paymentIdAfter = (
  row: Pick<RecomputedTransaction, 'payment_service_transaction_id'>,
  { kind, payment_service_transaction_id: told }: JournaledOperation,
): string | null => (kind === 'refund' ? null : told) ?? row.payment_service_transaction_id

/**
 * Computes a transaction from its operations: the decided ones in the order in which they were decided, then
 * the open ones that show in the transaction. `openFirst` applies the open ones before the corrections of
 * people, because their order is not recorded.
 */
export function recomputeTransaction(
  transaction: JournaledTransaction,
  { openFirst = false } = {},
): RecomputedTransaction {
  const { operations } = transaction
  const isReviewed = operations.some(
    ({ kind, raw_response_code }) => kind === 'screening' && raw_response_code === 'review',
  )
  const marks = { isReviewed, inPayment: transaction.in_payment }
  const decided = inDecidedOrder(operations.filter(({ status }) => !isOpen(status)))
  const open = operations.filter(({ status }) => isOpen(status))
  const visible = open.filter(({ status }) => status === 'pending' || status === 'unknown')
  const [before, after] = openFirst
    ? [
        decided.filter(({ kind }) => kind !== 'correction'),
        decided.filter(({ kind }) => kind === 'correction'),
      ]
    : [decided, []]
  let row = open.reduce(reserve, created(transaction, operations))
  const apply = (operation: JournaledOperation) => {
    if (operation.kind === 'correction') row = correct(row, operation)
    else if (operation.kind === 'late-failure') row = takeBack(row, operation)
    else if (isOpen(operation.status)) row = applyOutcome(row, operation, marks)
    else if (wasRetried(operation, operations))
      row = {
        ...row,
        payment_service_transaction_id: paymentIdAfter(row, operation),
      }
    else row = applyOutcome(reserve(row, operation), operation, marks)
  }
  for (const operation of [...before, ...visible, ...after]) apply(operation)
  return row
}
