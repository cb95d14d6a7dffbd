import type { Clock } from '../../base/clock.ts'
import type { OperationKind, Outcome } from '../../connectors/connector.ts'
import type { ErrorCode } from '../../connectors/error-codes.ts'
import type { Settings } from '../../settings.ts'
import { addCall, bucketStart, type CallBucket, emptyBucket } from './call-window.ts'
import type { Evidence } from './circuit.ts'

/** What this process knows of its calls to each payment service, by the payment service's id. A payment pays no statement for it. */
export type CallCounts = Map<string, ServiceCalls>

export interface ServiceCalls {
  account: string
  service: string
  /** What nobody but this process knows yet, by the start of the bucket. */
  buckets: Map<number, CallBucket>
  /** Calls under way, the oldest first. */
  waiting: Set<CallUnderWay>
  /** Calls without an answer, one after the other, and when the earliest of them began. */
  lost: { inARow: number; from: number }
  lastAnswerAt: number
  /** When the circuit's state began, as far as this process knows; what began earlier tells nothing of it. */
  since: number
  /** The payment that this process may use to find out whether the payment service is well again. */
  probe: Probe | undefined
  /** Until then this process does not ask for a probe again. */
  nextClaimAt: number
}

interface CallUnderWay {
  startedAt: number
  probe: Probe | undefined
}

export interface Probe {
  state: 'claimed' | 'under_way' | 'good' | 'bad'
  /** Of the half-open state that it was claimed in. */
  since: number
}

/** `lost`: no answer that tells anything. `failed`: the payment service says that it cannot. A decline is an answer. */
export type CallResult = 'answered' | 'failed' | 'lost'

/**
 * Failures that are the payment service's own (SEMANTICS §3.10). Refusals of what we sent, of the card or of our credentials are not: it is well, and
 * would refuse the same request tomorrow.
 */
const serviceFailures: ReadonlySet<ErrorCode> = new Set(['service_error', 'service_rate_limit', 'invalid_service_response'] satisfies ErrorCode[])

function callResultOf(outcome: Outcome): CallResult {
  if (outcome.status === 'unknown') return 'lost'
  if (outcome.status !== 'failed') return 'answered'
  if (outcome.code === 'service_network_error') return 'lost'
  return serviceFailures.has(outcome.code) ? 'failed' : 'answered'
}

interface TimeLimits {
  settings: Pick<Settings, 'providerTimeout'>
}

/** Calls that take longer than this are slow: a third of what the payment service is given to answer. In milliseconds. */
export const slowAfter = ({ settings }: TimeLimits): number => settings.providerTimeout / 3

/** Calls that wait longer than this while none is answered are lost already. In milliseconds. */
const unansweredAfter = ({ settings }: TimeLimits): number => Math.max(settings.providerTimeout / 5, MIN_SILENCE_MS)

/** Shorter ones are a busy machine's. */
const MIN_SILENCE_MS = 1_000

/** Operations that routing sends where it likes: only these can be probes. */
const probeKinds: ReadonlySet<OperationKind> = new Set(['approval', 'authorize', 'sale'] satisfies OperationKind[])

interface CallTarget {
  account: string
  service: string
  kind: OperationKind
}

/** Makes a call to a payment service, and counts what it came to. */
export async function countCall(
  world: TimeLimits & { machineClock: Clock; callCounts: CallCounts },
  asked: CallTarget,
  call: () => Promise<Outcome>,
): Promise<Outcome> {
  const calls = serviceCalls(world, asked.account, asked.service)
  const underWay = beginCall(calls, world.machineClock.now(), asked.kind)
  let verdict: CallResult = 'lost'
  try {
    const outcome = await call()
    verdict = callResultOf(outcome)
    return outcome
  } finally {
    endCall(calls, underWay, { now: world.machineClock.now(), slowAfter: slowAfter(world), verdict })
  }
}

export function serviceCalls({ callCounts }: { callCounts: CallCounts }, account: string, service: string): ServiceCalls {
  const known = callCounts.get(service)
  if (known) return known
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
  { now, slowAfter, verdict }: { now: number; slowAfter: number; verdict: CallResult },
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
  addCall(bucket, ms, verdict !== 'answered', slow)
  if (probe) probe.state = verdict === 'answered' && !slow ? 'good' : 'bad'
  if (verdict !== 'lost') {
    calls.lastAnswerAt = now
    calls.lost.inARow = 0
  } else if (startedAt >= calls.since) {
    calls.lost = { inARow: calls.lost.inARow + 1, from: calls.lost.inARow === 0 ? startedAt : Math.min(calls.lost.from, startedAt) }
  }
}

/** The circuit's state began at `since`: what began earlier is forgotten. */
export function discardBefore(calls: ServiceCalls, since: number): void {
  calls.since = since
  if (calls.lost.from < since) calls.lost.inARow = 0
  if (calls.probe && calls.probe.since < since) calls.probe = undefined
}

/** What this process alone knows. */
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

/** How many calls have waited since before `since`, where nothing was answered after it. */
function countUnansweredCalls(calls: ServiceCalls, since: number): number {
  if (calls.lastAnswerAt >= since) return 0
  let silent = 0
  for (const { startedAt } of calls.waiting) {
    if (startedAt > since) break
    if (startedAt >= calls.since) silent += 1
  }
  return silent
}
