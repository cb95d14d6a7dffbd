import type { Clock } from '../../base/clock.ts'
import type { OperationKind } from '../../connectors/contract/call.ts'
import type { ErrorCode } from '../../connectors/contract/error-codes.ts'
import type { Outcome } from '../../connectors/contract/outcome.ts'
import type { Settings } from '../../settings.ts'
import { addCall, bucketStart, type CallBucket, emptyBucket } from './call-window.ts'
import type { Evidence } from './circuit.ts'

/**
 * What this process alone has counted of its calls to each payment service, by the payment service's id.
 * Counting costs a payment no statement.
 */
export type CallCounts = Map<string, ServiceCalls>

export interface ServiceCalls {
  account: string
  service: string
  /** Calls that are not in the database yet, by the start of their bucket. */
  buckets: Map<number, CallBucket>
  /** Calls under way, the oldest first. */
  waiting: Set<CallUnderWay>
  /** Calls without an answer, one after the other, and when the earliest of them began. */
  lost: { inARow: number; from: number }
  lastAnswerAt: number
  /**
   * When the circuit's state began, as far as this process knows; calls that began earlier say nothing about
   * it.
   */
  since: number
  /** The payment by which this process finds out whether the payment service works again. */
  probe: Probe | undefined
  /** Until then this process does not try to claim a probe again. */
  nextClaimAt: number
}

interface CallUnderWay {
  startedAt: number
  probe: Probe | undefined
}

export interface Probe {
  state: 'claimed' | 'under_way' | 'good' | 'bad'
  /** When the half-open state began in which it was claimed. */
  since: number
}

/**
 * `lost`: no readable answer. `failed`: the payment service says that it cannot carry out the call. A decline
 * is an answer.
 */
export type CallResult = 'answered' | 'failed' | 'lost'

/**
 * Failures that are the payment service's own (semantics §3.10). A refusal of the request, of the card or of
 * our credentials is not: the payment service works, and would refuse the same request tomorrow.
 */
const serviceFailures: ReadonlySet<ErrorCode> = new Set([
  'service_error',
  'service_rate_limit',
  'invalid_service_response',
] satisfies ErrorCode[])

function callResultOf(outcome: Outcome): CallResult {
  if (outcome.status === 'unknown') return 'lost'
  if (outcome.status !== 'failed') return 'answered'
  if (outcome.code === 'service_network_error') return 'lost'
  return serviceFailures.has(outcome.code) ? 'failed' : 'answered'
}

interface TimeLimits {
  settings: Pick<Settings, 'providerTimeout'>
}

/** Milliseconds from which on a call is slow: a third of the time that a payment service has to answer. */
export const slowAfter = ({ settings }: TimeLimits): number => settings.providerTimeout / 3

/** Milliseconds after which waiting calls count as lost, if no call is answered meanwhile. */
const unansweredAfter = ({ settings }: TimeLimits): number =>
  Math.max(settings.providerTimeout / 5, MIN_SILENCE_MS)

/** Shorter silences happen on a busy machine. */
const MIN_SILENCE_MS = 1_000

/** Operations that routing may send to any payment service: only these can be probes. */
const probeKinds: ReadonlySet<OperationKind> = new Set([
  'approval',
  'authorize',
  'sale',
] satisfies OperationKind[])

interface CallTarget {
  account: string
  service: string
  kind: OperationKind
}

/** Makes a call to a payment service and counts its result. */
export async function countCall(
  world: TimeLimits & { machineClock: Clock; callCounts: CallCounts },
  { account, service, kind }: CallTarget,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  const calls = serviceCalls(world, account, service)
  const underWay = beginCall(calls, world.machineClock.now(), kind)
  let result: CallResult = 'lost'
  try {
    const outcome = await call()
    result = callResultOf(outcome)
    return outcome
  } finally {
    endCall(calls, underWay, { now: world.machineClock.now(), slowAfter: slowAfter(world), result })
  }
}

export function serviceCalls(
  { callCounts }: { callCounts: CallCounts },
  account: string,
  service: string,
): ServiceCalls {
  const existing = callCounts.get(service)
  if (existing) return existing
  const never = Number.NEGATIVE_INFINITY
  const fresh: ServiceCalls = {
    account,
    service,
    buckets: new Map(),
    waiting: new Set(),
    lost: { inARow: 0, from: never },
    lastAnswerAt: never,
    since: never,
    probe: undefined,
    nextClaimAt: never,
  }
  callCounts.set(service, fresh)
  return fresh
}

function beginCall(calls: ServiceCalls, startedAt: number, kind: OperationKind): CallUnderWay {
  const { probe } = calls
  const probes = probe?.state === 'claimed' && probeKinds.has(kind)
  if (probe && probes) probe.state = 'under_way'
  const underWay: CallUnderWay = { startedAt, probe: probes ? probe : undefined }
  calls.waiting.add(underWay)
  return underWay
}

function endCall(
  calls: ServiceCalls,
  underWay: CallUnderWay,
  { now, slowAfter, result }: { now: number; slowAfter: number; result: CallResult },
): void {
  const { startedAt, probe } = underWay
  const ms = Math.max(0, now - startedAt)
  const slow = ms > slowAfter
  calls.waiting.delete(underWay)
  const start = bucketStart(startedAt)
  let bucket = calls.buckets.get(start)
  if (!bucket) {
    bucket = emptyBucket(start)
    calls.buckets.set(start, bucket)
  }
  addCall(bucket, ms, result !== 'answered', slow)
  if (probe) probe.state = result === 'answered' && !slow ? 'good' : 'bad'
  if (result !== 'lost') {
    calls.lastAnswerAt = now
    calls.lost.inARow = 0
  } else if (startedAt >= calls.since) {
    calls.lost = {
      inARow: calls.lost.inARow + 1,
      from: calls.lost.inARow === 0 ? startedAt : Math.min(calls.lost.from, startedAt),
    }
  }
}

/** Forgets the calls that began before the circuit's state did, at `since`. */
export function discardBefore(calls: ServiceCalls, since: number): void {
  calls.since = since
  if (calls.lost.from < since) calls.lost.inARow = 0
  if (calls.probe && calls.probe.since < since) calls.probe = undefined
}

/** The evidence that only this process has. */
export function processEvidence(
  world: TimeLimits & { machineClock: Clock },
  calls: ServiceCalls,
): Pick<Evidence, 'lostInARow' | 'unanswered' | 'probe'> {
  const { probe, lost } = calls
  return {
    lostInARow: lost.inARow,
    unanswered: countUnansweredCalls(calls, world.machineClock.now() - unansweredAfter(world)),
    probe: probe?.state === 'good' || probe?.state === 'bad' ? probe.state : null,
  }
}

/** How many calls have waited since before `since`, if no call was answered after it. */
function countUnansweredCalls(calls: ServiceCalls, since: number): number {
  if (calls.lastAnswerAt >= since) return 0
  let unanswered = 0
  for (const { startedAt } of calls.waiting) {
    if (startedAt > since) break
    if (startedAt >= calls.since) unanswered += 1
  }
  return unanswered
}
