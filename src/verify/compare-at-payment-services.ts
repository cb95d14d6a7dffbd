import { setTimeout as wait } from 'node:timers/promises'
import type { BookFinding, Exchange } from '../connectors/connector.ts'
import { lookUpDecidedOperation, type SendableOperation } from '../operations/calls/send-operation.ts'
import { isPaymentKind, type OperationRow } from '../operations/operation.ts'
import { payoutServiceRequest } from '../payouts/apply-outcome.ts'
import { paymentContext, sendableOperation } from '../transactions/execution/payment-context.ts'
import type { World } from '../world.ts'
import { type DecidedOperation, readDecidedOperations } from './read-decided-operations.ts'

/** An operation of which the payment service's books say something else than ours. */
export interface Difference {
  operation: OperationRow
  ours: string
  theirs: string
}

export interface Comparison {
  compared: number
  findings: number
  /** The payment service, or what its connector reads, does not say what became of them. */
  notComparable: number
  /** `stopped` ended it before the last operation. */
  stopped: boolean
}

export interface ComparisonOptions {
  /** Operations that were decided since then. */
  since: Date
  onDifference(difference: Difference): void
  /** Told once of each payment service that does not answer, or refuses our credentials: its other operations are not compared. */
  onUnavailable(service: { account: string; id: string }, reason: string): void
  stopped?: () => boolean
  /** Before the second try; before each further one twice as long. */
  pauseMs?: number
}

/** How many lookups are under way at once. */
const CONCURRENCY = 4
const TRIES = 3

/** Compares decided operations with the books of their payment services. It only reads, here and there. */
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

/** Undefined: what it is about is gone, which the comparison of the books with each other finds. */
async function toSendable(world: World, { operation, transaction, payout }: DecidedOperation): Promise<SendableOperation | undefined> {
  if (payout) return payoutServiceRequest({ payout, operation })
  if (!transaction) return undefined
  const asked = sendableOperation({ transaction, operation }, await paymentContext(world, transaction, operation))
  // the payment's ids are of the payment service that has it now, not of one that refused it before
  const isElsewhere = transaction.payment_service_id !== operation.payment_service_id
  return isElsewhere ? { ...asked, paymentReference: null, identifiers: {} } : asked
}

type BookedOutcome = 'absent' | { amount: number } | { code: string }

/** Undefined: not decided there, or the books do not say so. */
function bookedOutcomeOf(finding: BookFinding): BookedOutcome | undefined {
  if (finding.status === 'absent') return 'absent'
  if (finding.status === 'unsure') return undefined
  const { outcome } = finding
  if (outcome.status === 'approved') return { amount: outcome.amount }
  return 'code' in outcome ? { code: outcome.code } : undefined
}

/** Too many requests, credentials that are refused, and failures of its own; null: no answer came. */
const isNoAnswer = (status: number | null): boolean => status === null || status === 401 || status === 403 || status === 429 || status >= 500

/** Why the payment service did not answer; undefined: it did, or was not asked. */
function noAnswerReason(finding: BookFinding, exchanges: readonly Exchange[]): string | undefined {
  const last = exchanges.at(-1)
  if (finding.status !== 'unsure' || !last || !isNoAnswer(last.status)) return undefined
  return last.status === null ? 'no answer' : `HTTP ${last.status}`
}

function isSameOutcome({ operation, approved_besides: besides }: DecidedOperation, theirs: BookedOutcome): boolean {
  const { kind, status, effective_amount: amount, error_code: code } = operation
  const isOpening = isPaymentKind(kind)
  const isRelease = kind === 'void' || kind === 'cancel'
  const wasReleased = besides.includes('void') || besides.includes('cancel')
  if (status === 'approved') {
    // what releases a payment has no amount of its own
    if (typeof theirs === 'object' && 'amount' in theirs) return isRelease || theirs.amount === amount
    // where a connector reads the payment as it stands now, one that was released since is no longer approved
    return isOpening && wasReleased && typeof theirs === 'object' && theirs.code === 'canceled'
  }
  if (theirs === 'absent' || 'code' in theirs) return true
  // a cancellation that came too late to prevent the approval has released it
  if (isOpening && wasReleased && code === 'canceled') return true
  // likewise, what is done once to a payment may have been done by another operation than the one that was refused
  return isRelease ? wasReleased : isOpening && besides.includes(kind)
}

const ourWords = ({ status, error_code: code, effective_amount: amount, currency }: OperationRow): string =>
  status === 'approved' ? approvedOf(amount, currency) : `${status} (${code})`

function theirWords(theirs: BookedOutcome, { currency }: OperationRow): string {
  if (theirs === 'absent') return 'absent'
  return 'code' in theirs ? `refused (${theirs.code})` : approvedOf(theirs.amount, currency)
}

const approvedOf = (amount: number | null, currency: string): string => `approved, ${amount} ${currency}`
