/** How many calls tell anything, in the window: fewer never open a circuit by their shares. */
export const MIN_CALLS = 20
/** Share of the window's calls that failed, from which on a circuit opens. */
export const FAILED_SHARE = 0.5
/** Share of the window's calls that were slow, from which on a circuit opens. */
export const SLOW_SHARE = 0.8
/** Calls that got no answer one after the other, or that all wait for one: a dead payment service is known before the window is full. */
export const LOST_IN_A_ROW = 5
/** How long a circuit is open the first time; twice as long after each probe that failed. */
export const FIRST_OPEN_MS = 15_000
export const MAX_OPEN_MS = 300_000
/** Payments in a row that a payment service must carry before all others follow. */
export const GOOD_PROBES = 3
/** The least time between the end of a probe and the next. */
export const PROBE_INTERVAL_MS = 1_000

/** Whether a payment service is asked. Times are milliseconds since 1970. */
export type Circuit =
  | { state: 'closed'; since: number }
  /** It is left out until `nextProbeAt`. `openings`: how often it opened since it was last closed. */
  | { state: 'open'; since: number; nextProbeAt: number; openings: number }
  /** One payment at a time finds out whether it is well again; the next one may from `nextProbeAt` on. */
  | { state: 'half_open'; since: number; nextProbeAt: number; openings: number; goodProbes: number }
export type UnhealthyCircuit = Exclude<Circuit, { state: 'closed' }>

/** What is known of the calls that began since the circuit's state did. */
export interface Evidence {
  /** In the window, over all processes. */
  calls: number
  failed: number
  slow: number
  /** Without an answer, one after the other, in this process. */
  lostInARow: number
  /** Waiting in this process, while no call at all was answered. */
  unanswered: number
  /** What became of this process's probe; null: there was none, or it is under way. */
  probe: 'good' | 'bad' | null
}

/** A payment service that nobody has found unwell yet. */
export const closedCircuit: Circuit = { state: 'closed', since: Number.NEGATIVE_INFINITY }

/** The circuit after what its calls came to; the same object where they change nothing. */
export function nextCircuit(circuit: Circuit, evidence: Evidence, now: number): Circuit {
  switch (circuit.state) {
    case 'closed':
      return hasTooManyFailures(evidence) ? openedCircuit(0, now) : circuit
    case 'open':
      return circuit
    case 'half_open':
      return evidence.probe ? circuitAfterProbe(circuit, evidence.probe, now) : circuit
  }
}

function circuitAfterProbe(circuit: Extract<Circuit, { state: 'half_open' }>, probe: 'good' | 'bad', now: number): Circuit {
  if (probe === 'bad') return openedCircuit(circuit.openings, now)
  const goodProbes = circuit.goodProbes + 1
  return goodProbes >= GOOD_PROBES ? { state: 'closed', since: now } : { ...circuit, goodProbes, nextProbeAt: now + PROBE_INTERVAL_MS }
}

const hasTooManyFailures = ({ calls, failed, slow, lostInARow, unanswered }: Evidence): boolean =>
  lostInARow >= LOST_IN_A_ROW || unanswered >= LOST_IN_A_ROW || (calls >= MIN_CALLS && (failed >= calls * FAILED_SHARE || slow >= calls * SLOW_SHARE))

const openedCircuit = (before: number, now: number): Circuit => ({
  state: 'open',
  since: now,
  nextProbeAt: now + Math.min(FIRST_OPEN_MS * 2 ** Math.min(before, 10), MAX_OPEN_MS),
  openings: before + 1,
})

/** Whether a payment may find out now if the payment service is well again. Who does must have claimed it first. */
export const canProbe = (circuit: UnhealthyCircuit, now: number): boolean => circuit.nextProbeAt <= now
