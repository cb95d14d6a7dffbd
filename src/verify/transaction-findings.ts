import { isLateCompensation, isOpen } from '../operations/operation.ts'
import { overCapture } from '../transactions/actions/over-capture.ts'
import type { Finding } from './finding.ts'
import type { JournaledOperation, JournaledTransaction } from './read-transactions.ts'
import {
  isPayment,
  isPaymentStep,
  isRefused,
  type RecomputedTransaction,
  recomputeTransaction,
} from './recompute.ts'

/** A stored value and its allowed values, of which a finding names the first. */
type TransactionMismatch = readonly [problem: string, stored: unknown, expected: readonly unknown[]]

/** All differences between a transaction and the one computed from its operations. */
export function transactionFindings(transaction: JournaledTransaction): Finding[] {
  const replayed = recomputeTransaction(transaction)
  const differences = [
    ...amountsOf(transaction, replayed),
    ...stateOf(transaction, replayed),
    ...giftCardsOf(transaction, replayed),
    ...paymentServiceOf(transaction, replayed),
    ...reviewOf(transaction),
    ...termsOf(transaction),
  ]
  const { merchant_account_id, id: transaction_id } = transaction
  return differences
    .filter(([, stored, expected]) => !expected.includes(stored))
    .map(([problem, stored, [computed]]) => ({
      merchant_account_id,
      transaction_id,
      problem,
      stored: text(stored),
      computed: text(computed),
    }))
}

const text = (value: unknown): string => (value === null || value === undefined ? 'nothing' : String(value))

function amountsOf(row: JournaledTransaction, replayed: RecomputedTransaction): TransactionMismatch[] {
  const { operations, authorized_amount, over_capture_allowance: allowance } = row
  const approved = (is: (operation: JournaledOperation) => boolean) =>
    operations.filter((operation) => operation.status === 'approved' && is(operation))
  const payments = approved(isPayment).length
  // a person may have corrected a void that did not happen
  const isVoided = replayed.voided_at !== null && !operations.some(({ kind }) => kind === 'correction')
  // an earlier version did not record the allowance of a capture: then the account's applies
  const allowed = Math.max(0, ...operations.map(({ input }) => input.allowance ?? 0))
  const hasCaptures = operations.some(({ kind }) => kind === 'capture')
  const isAllowed =
    allowance <= allowed ||
    (hasCaptures && allowance <= overCapture(row.account ?? undefined)(authorized_amount))
  return [
    ...(
      [
        'amount',
        'authorized_amount',
        'captured_amount',
        'refunded_amount',
        'capture_reserved',
        'refund_reserved',
      ] as const
    ).map((name): TransactionMismatch => [name, row[name], [replayed[name]]]),
    ['over_capture_allowance', isAllowed ? allowed : allowance, [allowed]],
    ['approved authorizations (at most 1)', Math.min(payments, 1), [payments]],
    ['captured after a void', 0, [isVoided ? replayed.captured_amount : 0]],
  ]
}

/** Kinds of which several operations may be open at once: each has its own reservation. */
const canRunConcurrently = ({ kind, input }: JournaledOperation): boolean =>
  (kind === 'refund' && !input.undoes) ||
  isLateCompensation({ kind, input }) ||
  kind === 'gift-card-refund' ||
  kind === 'payout'

function stateOf(row: JournaledTransaction, replayed: RecomputedTransaction): TransactionMismatch[] {
  const { operations } = row
  const hasEvent = row.status === 'processing' || row.event_count > 0
  const active = operations.find(
    (operation) =>
      isOpen(operation.status) &&
      (operation.status !== 'pending' || operation.kind === 'cancel') &&
      !canRunConcurrently(operation),
  )
  // a payment that another one has renewed, which `operations.ts` checks from the other's side, or a sale
  // that was pending before it was refused, which leaves no trace
  const mayBeClosed = operations.some(
    (operation) =>
      (operation.kind === 'capture' &&
        operation.input.reauthorize &&
        operation.error_code === 'expired_authorization') ||
      (operation.kind === 'sale' && isRefused(operation)),
  )
  return [
    ['status', row.status, statusesOf(row, replayed)],
    ['intent_outcome', row.intent_outcome, [operations.length > 0 ? replayed.intent_outcome : 'failed']],
    [
      'capture_closed',
      row.capture_closed,
      mayBeClosed ? [replayed.capture_closed, true] : [replayed.capture_closed],
    ],
    // versions before took a pending cancellation for one that others need not wait for
    [
      'operation under way',
      row.active_operation_id,
      active?.status === 'pending' ? [active.id, null] : [active?.id ?? null],
    ],
    ['event of its outcome', hasEvent ? 'told' : null, ['told']],
    ...(operations.length > 0 ? [['error_code', row.error_code, [replayed.error_code]] as const] : []),
    ...(
      ['authorized_at', 'captured_at', 'voided_at', 'canceled_at', 'buyer_approval_timedout_at'] as const
    ).map((name): TransactionMismatch => [name, row[name], [replayed[name]]]),
  ]
}

function statusesOf(row: JournaledTransaction, replayed: RecomputedTransaction): readonly string[] {
  const { operations } = row
  // no payment service could take it
  if (operations.length === 0) return ['authorization_failed']
  const open = operations.filter(({ status }) => isOpen(status))
  const captures = open.filter(({ kind }) => kind === 'capture')
  const isCorrected = operations.some(
    ({ kind, input }) => kind === 'correction' && input.after !== undefined && 'status' in input.after,
  )
  return [
    replayed.status,
    // an open capture shows as pending if an earlier one was refused while it was open
    ...(captures.length > 0 &&
    replayed.status === 'capture_pending' &&
    captures.every(({ status }) => status === 'sent' || status === 'queued')
      ? ['authorization_succeeded']
      : []),
    ...(isCorrected && open.length > 0 ? [recomputeTransaction(row, { openFirst: true }).status] : []),
  ]
}

function giftCardsOf(row: JournaledTransaction, replayed: RecomputedTransaction): TransactionMismatch[] {
  const after = replayed.gift_cards?.redemptions ?? []
  return (row.gift_cards?.redemptions ?? []).flatMap((redemption, index): TransactionMismatch[] => {
    const computed = after[index]
    const redeemed = row.operations.find(
      ({ kind, input }) => kind === 'redeem' && input.redemption === redemption.id,
    )
    return [
      ['gift card redemptions', redemption.status, [computed?.status]],
      ['gift card redemption: amount', redemption.amount, [redeemed?.amount ?? redemption.amount]],
      [
        'gift card redemption: id at its service',
        redemption.reference,
        [redeemed?.status === 'approved' ? redeemed.payment_service_operation_id : null],
      ],
      ['refunded to gift cards', redemption.refunded, [computed?.refunded]],
      ['refunds to gift cards under way', redemption.refund_reserved, [computed?.refund_reserved]],
    ]
  })
}

/** Operations at the payment service that has the payment. */
const followUps: readonly JournaledOperation['kind'][] = ['capture', 'void', 'cancel', 'increment', 'refund']

function paymentServiceOf(row: JournaledTransaction, replayed: RecomputedTransaction): TransactionMismatch[] {
  const { operations, payment_service_transaction_id: reference } = row
  const step = operations.findLast(isPaymentStep)
  const elsewhere = operations.find(
    (operation) =>
      followUps.includes(operation.kind) &&
      !isLateCompensation(operation) &&
      operation.payment_service_id !== row.payment_service_id,
  )
  const hasPaid = operations.some((operation) => isPayment(operation) && operation.status === 'approved')
  const isCorrected = operations.some(
    ({ kind, input }) => kind === 'correction' && 'payment_service_transaction_id' in (input.after ?? {}),
  )
  const isKnown =
    isCorrected ||
    operations.some(({ kind, payment_service_transaction_id: told }) => kind !== 'refund' && told !== null)
  return [
    ...(step ? [['payment service', row.payment_service_id, [step.payment_service_id]] as const] : []),
    [
      'payment service of its operations',
      elsewhere?.payment_service_id ?? row.payment_service_id,
      [row.payment_service_id],
    ],
    // an earlier version did not record the operation of the event
    [
      'id at the payment service',
      isKnown || reference !== null ? reference : hasPaid ? 'nothing' : null,
      [isKnown ? replayed.payment_service_transaction_id : reference],
    ],
  ]
}

/** Whether the payment waits for a review, or follows the decision of one (semantics §3.2). */
function reviewOf({
  status,
  pending_review: isHeld,
  anti_fraud,
  operations,
  ...row
}: JournaledTransaction): TransactionMismatch[] {
  const screening = operations.find(({ kind, status: outcome }) => kind === 'screening' && !isOpen(outcome))
  const decision = anti_fraud?.decision ?? null
  if (!screening) return [['held for review', isHeld, [false]]]
  const said = screening.raw_response_code
  const known: TransactionMismatch = [
    'decision of the anti-fraud service',
    decision,
    said === 'review' ? ['review', 'accept', 'reject'] : [said],
  ]
  if (said !== 'review') return [known, ['held for review', isHeld, [false]]]
  // what a person has corrected is held or not as it was
  if (
    operations.some(
      ({ kind, input }) => kind === 'correction' && input.after !== undefined && 'status' in input.after,
    )
  )
    return [known]
  const isOver = status === 'authorization_voided' || status === 'authorization_failed'
  if (decision === 'review' || isOver) return [known, ['held for review', isHeld, [!isOver]]]
  const wasVoidRefused = operations.some(
    (operation) => operation.kind === 'void' && operation.input.rejected && isRefused(operation),
  )
  const isFollowed = !isHeld || wasVoidRefused || screening.check_at !== null
  const mustBeHeld =
    decision === 'reject' && status === 'authorization_succeeded' && row.captured_amount === 0
  return [
    known,
    ['review that is decided and not followed', isFollowed ? null : decision, [null]],
    ['held for review', isHeld, mustBeHeld ? [true] : [true, false]],
  ]
}

/** The currency and amount agree with every operation and with the payment link. */
function termsOf({
  currency,
  operations,
  payment_link_id: through,
  link,
  ...row
}: JournaledTransaction): TransactionMismatch[] {
  const foreign = operations.find((operation) => operation.currency !== currency)
  // a renewal has the amount that the expired authorization had at last
  const asked =
    row.reauthorized_from_transaction_id === null ? operations.find(isPaymentStep)?.amount : undefined
  return [
    ['currency', currency, [foreign?.currency ?? currency]],
    ...(through === null
      ? []
      : ([
          ['payment link', through, [link ? through : null]],
          ['currency of its payment link', currency, [link ? link.currency : currency]],
          ['amount of its payment link', asked, [link && asked !== undefined ? link.amount : asked]],
        ] as const)),
  ]
}
