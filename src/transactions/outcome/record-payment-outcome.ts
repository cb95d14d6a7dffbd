/**
 * Records an outcome of a payment, and everything that follows from it, in one commit. Before:
 * `execution/execute-payment.ts` or `recover-payment.ts` has an outcome and the next step. What changes:
 * `projection.ts` (status, amounts), `timeline.ts`, `outbox.ts`, `operations/operation-times.ts` (when
 * recovery looks again). `operations/journal/record-outcome.ts` and its `record-outcome.sql.ts` write it.
 */

import type { Approval } from '../../connectors/contract/outcome.ts'
import { redemptionById } from '../../gift-cards/redemptions/redemption.ts'
import { unfinishedChallenge } from '../../operations/calls/authentication-call.ts'
import type { CheckFindings, SendResult } from '../../operations/calls/call-result.ts'
import { MAX_LINK_DECLINES } from '../../operations/journal/functions/payment-link.sql.ts'
import { readOperation } from '../../operations/journal/read-operations.ts'
import { recordOutcome, type StoredTokenRecord } from '../../operations/journal/record-outcome.ts'
import {
  errorCodeOf,
  isBuyerStep,
  isLateCompensation,
  isOpen,
  isPaymentKind,
  type OperationOutcome,
  type OperationRow,
  referencesOf,
  rejectedUnprocessed,
  responseDetailsOf,
  spendingOf,
} from '../../operations/operation.ts'
import { nextLookupAt } from '../../operations/operation-times.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import type { World } from '../../world.ts'
import { openChallengeOf } from '../approval/challenge.ts'
import type { IntendedOperation } from '../execution/intend-next.ts'
import { type AttemptInstrument, isRetry, type NextStep, type Retry } from '../execution/next-step.ts'
import { outboxEvent, outboxEventsOfOutcome } from '../outbox.ts'
import { paymentServiceSnapshot } from '../payment-service-snapshot.ts'
import { awaitsBuyer, project, type TransactionChange, withoutChange } from '../projection.ts'
import { timelineEntry, timelineOfOutcome } from '../timeline.ts'
import { type PaymentStep, storesMethod, type TransactionRow } from '../transaction.row.ts'
import { reportLateCompensation } from './late-compensation-outcome.ts'
import { countOutcome } from './payment-metrics.ts'
import { sealStoredToken, storableToken, storesByToken } from './stored-token.ts'

/**
 * The rows after an outcome was recorded. `applied` is false where another process recorded one before, or
 * another operation is under way: nothing follows here then. `answered_before`: that process may have
 * answered the request, too.
 */
export type RecordedOutcome = PaymentStep & { applied: boolean; answered_before: boolean }

export interface OutcomeToRecord extends SendResult {
  /** What follows; absent: nothing. */
  next?: NextStep
  /** The rows of what follows. */
  intended?: IntendedOperation | undefined
  /** True where a success tells nothing new of the stored method that paid. */
  methodProven?: boolean | undefined
  /** Where the cardholder returns to, and until when, if the payment service challenges them. */
  returnTo?: { redirectUrl: string; expiresAt: string } | undefined
  /** Lines that the request adds to the timeline, after those of the outcome. */
  timeline?: (() => TimelineEntry[]) | undefined
}

/**
 * Records an outcome (docs/concepts/operations.md): on the operation and its transaction, with the timeline,
 * the outbox, the stored answer and what follows, in one commit. `applied` is false when another process was
 * faster: nothing was written, and the rows are as that process left them. Two outcomes are recorded as
 * unknown, because recovery has changed what they tell: a request that was rejected unprocessed, after
 * recovery has claimed the operation and may have sent it; and an approval, after the connector has begun to
 * close the payment (`CLOSING_MARK`).
 */
export async function recordPaymentOutcome(
  world: World,
  step: PaymentStep,
  record: OutcomeToRecord,
): Promise<RecordedOutcome> {
  let { transaction, operation } = step
  const storedToken = await sealStoredToken(world, transaction, operation, record.outcome)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const recorded = await recordOutcome<TransactionRow>(
      world,
      outcomeRecord(world, transaction, operation, record, storedToken),
    )
    if (typeof recorded === 'object') {
      countOutcome(world, { before: transaction, after: recorded.transaction, operation }, record)
      reportLateCompensation(world, operation, record.outcome)
      // only the decline that closed the link, not those after it
      if (
        recorded.link_declines === MAX_LINK_DECLINES &&
        recorded.transaction.status === 'authorization_failed'
      )
        world.cardTesting.suspect('payment_link', recorded.transaction.merchant_account_id)
      return { ...recorded, applied: true }
    }
    const current = await readOperation<TransactionRow>(world, operation.merchant_account_id, operation.id)
    if (!current) throw new Error(`operation ${operation.id} has vanished`)
    if (recorded === 'already recorded' && isOpen(current.operation.status)) {
      const { outcome, exchanges, timeline } = record
      const doubt = rejectedUnprocessed(outcome)
        ? rejectedAfterResend
        : outcome.status === 'approved'
          ? approvedBeforeClosing
          : undefined
      if (doubt)
        return {
          ...(await recordPaymentOutcome(world, current, { outcome: doubt, exchanges, timeline })),
          applied: false,
        }
      // another process recorded a lost answer meanwhile, and told the merchant that the operation is pending
      if (outcome.status === 'pending' && current.operation.status !== 'pending') {
        ;({ transaction, operation } = current)
        continue
      }
    }
    const active = current.transaction.active_operation_id
    const isAnotherActive =
      record.intended && !record.intended.opens && active !== null && active !== operation.id
    if (recorded === 'already recorded' || isAnotherActive)
      return { ...current, applied: false, answered_before: true }
    transaction = current.transaction
  }
  throw new Error(`operation ${operation.id} could not be recorded: its transaction keeps changing`)
}

const approvedBeforeClosing: OperationOutcome = {
  status: 'unknown',
  reason: 'approved, and another process is closing the payment at the payment service meanwhile',
}

const rejectedAfterResend: OperationOutcome = {
  status: 'unknown',
  reason: 'rejected unprocessed, and another process may have sent it meanwhile',
}

/** The sealed request state is of no use any more: the challenge has failed, or the payment is cancelled. */
const endsChallenge = ({ kind }: OperationRow, outcome: OperationOutcome): boolean =>
  (kind === 'authentication' && 'code' in outcome) || (kind === 'cancel' && outcome.status === 'approved')

/**
 * Each try is lost to another outcome of the same transaction, and there are not that many. An outcome that
 * is not recorded is found by recovery.
 */
const MAX_TRIES = 1_000

function outcomeRecord(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  record: OutcomeToRecord,
  storedToken: StoredTokenRecord | null,
) {
  const { outcome, exchanges, next = { kind: 'done' }, intended, methodProven = false } = record
  const retry = isRetry(next) ? next : undefined
  const challenge = next.kind === 'challenge' ? next : undefined
  const findings =
    record.findings ??
    (isChallengeUnanswered(operation, outcome)
      ? unfinishedChallenge(operation, openChallengeOf(row))
      : undefined)
  // a refusal that is retried is no outcome of the transaction
  const change = retry ? withoutChange(row) : project(row, operation, outcome)
  const following = intended?.opens ? undefined : intended?.operation
  const opensPayment = intended?.opens ?? null
  const reserves = (kind: OperationRow['kind']) => (following?.kind === kind ? following.amount : 0)
  const facts = responseDetailsOf(outcome)
  const { operation: serviceOperation, ...paymentReferences } = referencesOf(outcome)
  const isLate = isLateCompensation(operation)
  const references = {
    ...(serviceOperation !== undefined && { operation: serviceOperation }),
    // the late payment's ids are not those of its transaction, which may have been paid elsewhere
    ...(!isLate && paymentReferences),
  }
  const isPayment = isPaymentKind(operation.kind)
  const isWithBuyer = isPayment && awaitsBuyer(outcome)
  const approvalExpiresAt = challenge?.expiresAt ?? (isWithBuyer ? record.returnTo?.expiresAt : undefined)
  const isRefused = outcome.status === 'declined' || outcome.status === 'failed'
  const outcomeTimeline = timelineOfOutcome(
    world,
    row,
    operation,
    outcome,
    change,
    retry ? retryRuleOf(retry, outcome) : null,
  )
  const reauthorized = opensPayment
    ? [timelineEntry(world, 'reauthorization-created', { transaction_id: opensPayment.id })]
    : []
  return {
    operation,
    status: outcome.status,
    isRejectedUnprocessed: rejectedUnprocessed(outcome),
    effectiveAmount: effectiveAmount(operation, outcome),
    errorCode: errorCodeOf(outcome),
    facts,
    references,
    exchanges,
    checkAt: nextLookupAt(world, operation, outcome.status, {
      approvalExpiresAt:
        isBuyerStep(operation) || isWithBuyer ? (approvalExpiresAt ?? row.approval_expires_at) : null,
    }),
    checks: operation.checks,
    transaction: {
      ...change,
      from: row.status,
      fromCaptures:
        operation.kind === 'capture'
          ? { captured: row.captured_amount, reserved: row.capture_reserved }
          : null,
      to: change.status,
      captureReserved: change.captureReserved + reserves('capture'),
      refundReserved: change.refundReserved + reserves('refund'),
      showsOutcome:
        !retry &&
        ((isPayment && outcome.status !== 'unknown') ||
          ((isBuyerStep(operation) ||
            operation.kind === 'screening' ||
            isPaidByGiftCardsAlone(row, operation)) &&
            isRefused)),
      activeOperation: following?.id ?? null,
      paymentService:
        retry?.kind === 'retry-at-another-service'
          ? { id: retry.at.service.id, snapshot: paymentServiceSnapshot(retry.at.service) }
          : null,
      approval:
        outcome.status === 'pending' && outcome.approval
          ? approvalUpdate(
              row,
              operation,
              outcome.approval,
              challenge?.redirectUrl ?? record.returnTo?.redirectUrl,
            )
          : null,
      approvalExpiresAt: approvalExpiresAt ?? null,
      dropsSealedInstrument: endsChallenge(operation, outcome),
      // while another payment is to take the money, this one takes it no second time
      captureClosed: opensPayment ? true : change.captureClosed,
      reopenedTransaction:
        change.status === 'authorization_failed' && row.status !== change.status
          ? row.reauthorized_from_transaction_id
          : null,
      throughLink: row.payment_link_id !== null && !isLate,
      isDelegated: row.details.delegated_payment !== undefined && !isLate,
      threeDSecure: findings?.threeDSecure ?? null,
      screening: findings?.screening ?? null,
      pendingReview: findings?.screening?.decision === 'review' ? true : null,
      shipping: outcome.status === 'approved' ? (outcome.buyer?.shipping ?? null) : null,
      instrument: retry ? (instrumentOf(retry) ?? null) : null,
      usedGiftCard:
        operation.kind === 'redeem' && outcome.status === 'approved'
          ? storedGiftCardId(row, operation)
          : null,
      filledGiftCard:
        (operation.kind === 'reverse' || operation.kind === 'gift-card-refund') &&
        outcome.status === 'approved'
          ? storedGiftCardId(row, operation)
          : null,
      paymentMethod:
        retry || methodProven ? null : storedMethodEffect(row, operation, outcome, change.status),
      storedToken,
    },
    next: {
      transactions: opensPayment ? [opensPayment] : [],
      operations: intended ? [intended.operation] : [],
    },
    timeline: [
      {
        transaction_id: row.id,
        entries: [
          ...checkEntries(world, findings),
          ...outcomeTimeline,
          ...reauthorized,
          ...(record.timeline?.() ?? []),
        ],
      },
      ...(opensPayment
        ? [
            {
              transaction_id: opensPayment.id,
              entries: [timelineEntry(world, 'reauthorization-attempted', { transaction_id: row.id })],
            },
          ]
        : []),
    ].filter((part) => part.entries.length > 0),
    events: retry
      ? []
      : [
          ...outboxEventsOfOutcome(world, operation, outcome),
          ...giftCardPaymentEvents(world, row, operation, change),
        ],
    answers: !intended || intended.operation.status === 'queued',
    // a capture that is made again after a new authorization keeps what it has reserved
    released: isRefused && !(intended && spendingOf(intended.operation)) ? spendingOf(operation) : undefined,
  }
}

/** The timeline's lines about a check. */
const checkEntries = (world: World, findings: CheckFindings | undefined) =>
  (findings?.timeline ?? []).map(({ name, context }) =>
    timelineEntry(world, name as Parameters<typeof timelineEntry>[1], context),
  )

/** The cardholder did not answer in time, or turned back. */
const isChallengeUnanswered = ({ kind }: OperationRow, outcome: OperationOutcome): boolean =>
  kind === 'authentication' &&
  'code' in outcome &&
  (outcome.code === 'incomplete_buyer_approval' || outcome.code === 'cancelled_buyer_approval')

/** `redirectUrl`: where the cardholder returns to. An order has its own (`newBuyerApproval`). */
const approvalUpdate = (
  row: TransactionRow,
  { kind }: OperationRow,
  { url, sessionData }: Approval,
  redirectUrl: string | undefined,
) => ({
  url,
  session_data: sessionData,
  ...(isPaymentKind(kind) && { in_payment: true }),
  ...((row.approval === null || row.approval.asks !== undefined || kind === 'authentication') && {
    asks: isPaymentKind(kind) ? 'provider' : 'issuer',
    integration_client: 'redirect',
    redirect_url: redirectUrl ?? row.approval?.redirect_url ?? null,
    session_token: null,
  }),
})

/** Gift cards alone pay: their outcome is the payment's. */
const isPaidByGiftCardsAlone = (row: TransactionRow, { kind }: OperationRow) =>
  kind === 'redeem' && row.payment_method === null

const giftCardPaymentEvents = (
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  change: TransactionChange,
) =>
  isPaidByGiftCardsAlone(row, operation) && change.status !== row.status
    ? [
        outboxEvent(
          world,
          change.status === 'capture_succeeded' ? 'transaction.captured' : 'transaction.declined',
        ),
      ]
    : []

const storedGiftCardId = (
  { gift_cards: giftCards }: TransactionRow,
  { input }: OperationRow,
): string | null => redemptionById(giftCards, input.redemption)?.gift_card.id ?? null

/**
 * What an outcome says of the payment's stored method: a success proves it, and one that was to be stored
 * goes with a payment that fails, or is `failed` itself if it is stored without a payment. A card without a number goes, too, if the provider gave no token for it.
 */
function storedMethodEffect(
  row: TransactionRow,
  { kind }: OperationRow,
  outcome: OperationOutcome,
  status: TransactionRow['status'],
): 'confirmed' | 'refused' | 'awaits buyer' | null {
  const { payment_method: method } = row
  if (!method?.id) return null
  const isPayment = isPaymentKind(kind)
  if (isPayment && outcome.status === 'approved')
    return storesByToken(row) && storableToken(outcome) === undefined ? 'refused' : 'confirmed'
  // a person may have corrected the status to another: the refusal of the payment itself decides as well
  const fails =
    status === 'authorization_failed' ||
    (isPayment && (outcome.status === 'declined' || outcome.status === 'failed'))
  if (storesMethod(row) && fails) return 'refused'
  return method.being_stored && outcome.status === 'pending' && outcome.approval ? 'awaits buyer' : null
}

/** Why the payment is tried again, as the timeline says it. */
function retryRuleOf(retry: Retry, outcome: OperationOutcome): string {
  if (retry.kind === 'retry-with-newer-card') return 'payment_method_replacement'
  return outcome.status === 'declined' ? 'retriable_decline' : 'failure'
}

/** What the next attempt is paid with, where that is something else. */
function instrumentOf(retry: Retry): AttemptInstrument | undefined {
  switch (retry.kind) {
    case 'retry-with-newer-card': {
      const { card_country: issuer_country, additional_schemes: _, ...card } = retry.card.snapshot
      return { type: 'pan', card: { ...card, issuer_country } }
    }
    case 'retry-at-another-service':
      return retry.at.instrument
    case 'retry-authenticated':
      return undefined
  }
}

/**
 * What took effect: an authorization may be approved in part, an order with another shipping; of a void and a
 * cancellation it is what they released.
 */
function effectiveAmount(operation: OperationRow, outcome: OperationOutcome): number | null {
  if (outcome.status !== 'approved') return null
  return operation.kind === 'approval' || isPaymentKind(operation.kind) ? outcome.amount : operation.amount
}
