import type { Approval, BookFinding, Outcome } from '../connectors/contract/outcome.ts'
import type { BuyerDecision } from './fake-provider.ts'
import {
  type Disturbance,
  type Harness,
  type PreparedCall,
  ProcessDied,
  type SuiteOperation,
} from './harness.ts'
import { idsAfter } from './payment.ts'

/** After this many look-ups an operation must be decided; the time between them doubles. */
const MOST_LOOKUPS = 10
const MINUTE_MS = 60_000
/** How long a cardholder has for a challenge, at most. */
const CHALLENGE_MS = 24 * 60 * MINUTE_MS
/** Look-ups after the buyer's time is over, and the time between them. */
const LAST_LOOKUPS = 4
const LAST_LOOKUP_MS = 20 * MINUTE_MS

const isDecided = (outcome: Outcome | undefined): boolean =>
  outcome !== undefined && outcome.status !== 'unknown' && outcome.status !== 'pending'

/**
 * Sends an operation once, as Railyard does: an operation that the connector does not have is refused, and an
 * error that it throws is an unknown outcome.
 */
export async function send(
  harness: Harness,
  sent: SuiteOperation,
  disturbance: Disturbance = {},
): Promise<PreparedCall> {
  const prepared = harness.prepareCall(sent, disturbance)
  const act = harness.connector.operations[sent.operation.kind]
  const outcome = act
    ? await guarded(harness, disturbance, () => act(prepared.call), unknown)
    : ({ status: 'failed', code: 'unsupported_transaction', facts: {}, references: {} } as const)
  if (!prepared.died()) record(sent, outcome)
  return prepared
}

/** The next call of the operation has the provider's ids in the outcome, as Railyard keeps them. */
function record(sent: SuiteOperation, outcome: Outcome): void {
  sent.outcome = outcome
  if ('references' in outcome)
    sent.operation.committedReference = outcome.references.transaction ?? sent.operation.committedReference
  Object.assign(sent.operation, idsAfter(sent.operation, outcome))
}

const unknown: Outcome = { status: 'unknown', reason: 'the connector failed' }

/** A connector never throws, except when its process has died or a commit has failed. */
async function guarded<Result>(
  harness: Harness,
  { commitFails }: Disturbance,
  run: () => Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ProcessDied) && !commitFails)
      harness.problems.push(`the connector threw: ${error instanceof Error ? error.message : String(error)}`)
    return otherwise
  }
}

export interface RecoveryOptions {
  /** What goes wrong with the first look-up. */
  disturbance?: Disturbance
  /** Recovery begins so much later, in milliseconds: Railyard was down. */
  pauseMs?: number
  /** What the buyer does at the page that a pending outcome names; absent: approves. */
  decision?: BuyerDecision
}

/**
 * Finds out the outcome of an operation as recovery does (docs/concepts/unknown-outcomes.md): the card is
 * gone; an operation that needs it is closed, any other is looked up and, if it is absent, sent again under
 * the same key. Answers how many look-ups it took; the outcome may still be open after the last.
 */
export async function recover(
  harness: Harness,
  sent: SuiteOperation,
  { disturbance, pauseMs = 0, decision = 'approve' }: RecoveryOptions = {},
): Promise<number> {
  harness.passTime(pauseMs)
  let visited = false
  for (let lookup = 1; lookup <= MOST_LOOKUPS; lookup += 1) {
    if (!visited) visited = await visit(harness, sent, decision)
    if (isDecided(sent.outcome)) return lookup - 1
    harness.passTime(MINUTE_MS * 2 ** lookup)
    await harness.deliverNotifications()
    await lookUp(harness, sent, lookup === 1 ? disturbance : undefined)
    // one after each look-up: a late look-up may arrive long after the late operation
    harness.deliverLate(1)
  }
  const { approval } = harness.connector.definition
  if (!approval && sent.outcome?.status !== 'pending') return MOST_LOOKUPS
  // no buyer approves any more
  harness.passTime(approval?.longestLife ?? CHALLENGE_MS)
  for (let lookup = 0; lookup < LAST_LOOKUPS && !isDecided(sent.outcome); lookup += 1) {
    harness.passTime(LAST_LOOKUP_MS)
    await harness.deliverNotifications()
    await lookUp(harness, sent, {}, sent.operation.kind !== 'approval' && sent.payment !== undefined)
  }
  return MOST_LOOKUPS + LAST_LOOKUPS
}

/** Sends an operation and recovers it until it is decided. */
export async function settle(
  harness: Harness,
  sent: SuiteOperation,
  options: RecoveryOptions = {},
): Promise<SuiteOperation> {
  await send(harness, sent)
  await recover(harness, sent, options)
  return sent
}

/** `isTimedOut`: the buyer had to come back by now, so that the payment is closed before it fails. */
async function lookUp(
  harness: Harness,
  sent: SuiteOperation,
  disturbance: Disturbance = {},
  isTimedOut = false,
): Promise<void> {
  const isAccepted = sent.outcome?.status === 'pending'
  const needsCard = isCardNeeded(sent)
  const again = withoutCard(sent)
  const { connector } = harness
  const { call, died } = harness.prepareCall(again, disturbance)
  const closes = (needsCard && !isAccepted) || (isAccepted && isTimedOut)
  const read = closes && connector.close ? connector.close : connector.find
  const finding = await guarded<BookFinding>(harness, disturbance, () => read.call(connector, call), {
    status: 'unsure',
  })
  if (died() || finding.status === 'unsure') return
  if (finding.status === 'found') {
    if (finding.outcome.status !== 'unknown') record(sent, finding.outcome)
    return
  }
  if (isAccepted && isTimedOut)
    sent.outcome = { status: 'failed', code: 'incomplete_buyer_approval', facts: {}, references: {} }
  // the provider has accepted it: its books are behind
  if (isAccepted) return
  if (needsCard) {
    sent.outcome = { status: 'failed', code: 'service_network_error', facts: {}, references: {} }
    return
  }
  await send(harness, again)
  // a request that was rejected unprocessed says nothing of the earlier one
  const isRejected = again.outcome?.status === 'failed' && again.outcome.unprocessed === true
  if (again.outcome && !isRejected) record(sent, again.outcome)
}

/** Only the request had the card, or what stands for it. */
const isCardNeeded = ({ payment, payout }: SuiteOperation): boolean =>
  payout !== undefined ||
  (payment !== undefined && !payment.order && payment.instrument.earlierPayment === undefined)

/** The operation as recovery has it. */
function withoutCard(sent: SuiteOperation): SuiteOperation {
  const { payment, payout: _, ...rest } = sent
  sent.operation.sentBefore = true
  return {
    ...rest,
    ...(payment && { payment: isCardNeeded(sent) ? { ...payment, instrument: {} } : payment }),
  }
}

const noApproval: Approval = { url: null, sessionData: null }

/** The buyer at the provider's page or script, and their return; answers whether there was one. */
async function visit(harness: Harness, sent: SuiteOperation, decision: BuyerDecision): Promise<boolean> {
  const { connector, provider } = harness
  const { url, sessionData } = (sent.outcome?.status === 'pending' && sent.outcome.approval) || noApproval
  const returned = url
    ? provider.visit?.(url, decision)
    : sessionData && provider.runScript?.(sessionData, decision)
  if (!returned) return false
  const complete = connector.completeApproval
  if (decision === 'abandon' || !complete) return true
  const { call } = harness.prepareCall(withoutCard(sent))
  const outcome = await guarded(harness, {}, () => complete.call(connector, call, returned), unknown)
  if (outcome.status !== 'unknown') record(sent, outcome)
  return true
}
