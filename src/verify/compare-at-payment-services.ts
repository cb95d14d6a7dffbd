import { setTimeout as wait } from 'node:timers/promises'
import type { Exchange } from '../connectors/contract/call.ts'
import type { BookFinding } from '../connectors/contract/outcome.ts'
import { lookUpDecidedOperation, type SendableOperation } from '../operations/calls/send-operation.ts'
import {
  isLateCompensation,
  isPaymentKind,
  type OperationOutcome,
  type OperationRow,
} from '../operations/operation.ts'
import { payoutServiceRequest } from '../payouts/apply-outcome.ts'
import { paymentContext, sendableOperation } from '../transactions/execution/payment-context.ts'
import type { World } from '../world.ts'
import { type DecidedOperation, readDecidedOperations } from './read-decided-operations.ts'

/** An operation for which the books of its payment service and of Railyard differ. */
export interface Difference {
  operation: OperationRow
  ours: string
  theirs: string
}

export interface Comparison {
  compared: number
  findings: number
  /** The number of operations whose outcome the payment service or its connector does not tell. */
  notComparable: number
  /** True if the option `stopped` ended the comparison before the last operation. */
  stopped: boolean
}

export interface ComparisonOptions {
  /** Compare operations that were decided since then. */
  since: Date
  onDifference(difference: Difference): void
  /**
   * Called once for each payment service that does not answer or refuses the credentials: its other
   * operations are not compared.
   */
  onUnavailable(service: { account: string; id: string }, reason: string): void
  stopped?: () => boolean
  /** Milliseconds before the second try; the pause doubles before each further one. */
  pauseMs?: number
}

/** The number of lookups at the same time. */
const CONCURRENCY = 4
const TRIES = 3

/**
 * Compares decided operations with the books of their payment services. It changes nothing, neither here nor
 * there.
 */
export async function compareAtPaymentServices(
  world: World,
  { since, onDifference, onUnavailable, stopped, pauseMs = 1_000 }: ComparisonOptions,
): Promise<Comparison> {
  const comparison = { compared: 0, findings: 0, notComparable: 0, stopped: false }
  const servicesAway = new Set<string>()
  const decided = readDecidedOperations(world.run, since)

  // the workers share one generator: each takes the next operation from it
  const work = async () => {
    for await (const each of decided) {
      if (stopped?.()) {
        comparison.stopped = true
        return
      }
      const theirs = await booksOn(each)
      if (theirs === undefined) {
        comparison.notComparable += 1
        continue
      }
      comparison.compared += 1
      const { operation } = each
      if (isSameOutcome(each, theirs)) continue
      comparison.findings += 1
      onDifference({ operation, ours: ourWords(operation), theirs: theirWords(theirs, operation) })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return comparison

  async function booksOn(each: DecidedOperation): Promise<BookedOutcome | undefined> {
    const asked = await toSendable(world, each)
    const { merchant_account_id: account, payment_service_id: id } = each.operation
    if (!asked || id === null) return undefined
    for (let tried = 1; !servicesAway.has(id); tried += 1) {
      const { finding, exchanges } = await lookUpDecidedOperation(world, asked)
      const reason = noAnswerReason(finding, exchanges)
      if (!reason) return exchanges.length > 0 ? bookedOutcomeOf(finding) : undefined
      if (stopped?.()) return undefined
      if (tried < TRIES) await wait(pauseMs * 2 ** (tried - 1))
      else if (!servicesAway.has(id)) {
        servicesAway.add(id)
        onUnavailable({ account, id }, reason)
      }
    }
    return undefined
  }
}

/** Undefined: the payment or payout of the operation is gone, which `verify` reports. */
async function toSendable(
  world: World,
  { operation, transaction, payout }: DecidedOperation,
): Promise<SendableOperation | undefined> {
  if (payout) return payoutServiceRequest({ payout, operation })
  if (!transaction) return undefined
  const asked = sendableOperation(
    { transaction, operation },
    await paymentContext(world, transaction, operation),
  )
  if (isLateCompensation(operation)) return asked
  // the payment's ids are those of the payment service that has it now, not of one that refused it before
  const isElsewhere = transaction.payment_service_id !== operation.payment_service_id
  // nor do they name a payment that came late
  return isElsewhere || operation.compensated_by
    ? { ...asked, paymentReference: null, identifiers: {} }
    : asked
}

type BookedOutcome = 'absent' | { amount: number } | { code: string }

/** Undefined: the operation is not decided there, or the books do not tell. */
function bookedOutcomeOf(finding: BookFinding<OperationOutcome>): BookedOutcome | undefined {
  if (finding.status === 'absent') return 'absent'
  if (finding.status === 'unsure') return undefined
  const { outcome } = finding
  if (outcome.status === 'approved') return { amount: outcome.amount }
  return 'code' in outcome ? { code: outcome.code } : undefined
}

/** Too many requests, refused credentials, and failures of the payment service; null: no answer. */
const isNoAnswer = (status: number | null): boolean =>
  status === null || status === 401 || status === 403 || status === 429 || status >= 500

/** Why the payment service did not answer; undefined: it did, or was not asked. */
function noAnswerReason(
  finding: BookFinding<OperationOutcome>,
  exchanges: readonly Exchange[],
): string | undefined {
  const last = exchanges.at(-1)
  if (finding.status !== 'unsure' || !last || !isNoAnswer(last.status)) return undefined
  return last.status === null ? 'no answer' : `HTTP ${last.status}`
}

function isSameOutcome(
  { operation, approved_besides: besides, compensation }: DecidedOperation,
  theirs: BookedOutcome,
): boolean {
  const { kind, status, effective_amount: amount, error_code: code } = operation
  const isOpening = isPaymentKind(kind)
  const isRelease = kind === 'void' || kind === 'cancel'
  const wasReleased = besides.includes('void') || besides.includes('cancel')
  if (operation.late_failure) return theirs === 'absent' || 'code' in theirs
  if (status === 'approved') {
    // operations that release a payment have no amount
    if (typeof theirs === 'object' && 'amount' in theirs) return isRelease || theirs.amount === amount
    // a connector that reads the payment's present state does not see the approval of one that was released
    // since
    return isOpening && wasReleased && typeof theirs === 'object' && theirs.code === 'canceled'
  }
  if (theirs === 'absent' || 'code' in theirs) return true
  // it was approved after it had failed, and is compensated, or will be
  if (compensation !== null && compensation !== 'declined' && compensation !== 'failed') return true
  // a cancellation that came too late to prevent the approval has released it
  if (isOpening && wasReleased && code === 'canceled') return true
  // likewise, another operation than the refused one may have done what is done once to a payment
  return isRelease ? wasReleased : isOpening && besides.includes(kind)
}

const ourWords = ({
  status,
  error_code: code,
  effective_amount: amount,
  currency,
  late_failure: failure,
}: OperationRow): string =>
  failure
    ? `approved, and taken back (${failure.code})`
    : status === 'approved'
      ? approvedOf(amount, currency)
      : `${status} (${code})`

function theirWords(theirs: BookedOutcome, { currency }: OperationRow): string {
  if (theirs === 'absent') return 'absent'
  return 'code' in theirs ? `refused (${theirs.code})` : approvedOf(theirs.amount, currency)
}

const approvedOf = (amount: number | null, currency: string): string => `approved, ${amount} ${currency}`
