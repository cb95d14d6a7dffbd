import { backOffMs } from '../../base/back-off.ts'

/** The fewest calls in the window whose shares can open a circuit. */
export const MIN_CALLS = 20
/** The share of failed calls in the window from which on a circuit opens. */
export const FAILED_SHARE = 0.5
/** The share of slow calls in the window from which on a circuit opens. */
export const SLOW_SHARE = 0.8
/**
 * Unanswered calls in a row, or all waiting at once, that open a circuit: a dead payment service is
 * recognized before the window is full.
 */
export const LOST_IN_A_ROW = 5
/** How long a circuit is open the first time. Each failed probe doubles it. */
export const FIRST_OPEN_MS = 15_000
export const MAX_OPEN_MS = 300_000
/** Probes in a row that must succeed before all payments are sent to the payment service again. */
export const GOOD_PROBES = 3
/** The least time between the end of one probe and the next. */
export const PROBE_INTERVAL_MS = 1_000

/** Whether a payment service gets payments. Times are milliseconds since 1970. */
export type Circuit =
  | { state: 'closed'; since: number }
  /** It gets no payments until `nextProbeAt`. `openings`: how often it opened since it was last closed. */
  | { state: 'open'; since: number; nextProbeAt: number; openings: number }
  /**
   * One payment at a time probes whether the payment service works again, the next one from `nextProbeAt` on.
   */
  | { state: 'half_open'; since: number; nextProbeAt: number; openings: number; goodProbes: number }
export type UnhealthyCircuit = Exclude<Circuit, { state: 'closed' }>

/** The results of the calls that began since the circuit's state did. */
export interface Evidence {
  /** In the window, over all processes. */
  calls: number
  failed: number
  slow: number
  /** Calls in a row without an answer, in this process. */
  lostInARow: number
  /** Calls that wait in this process while no call at all is answered. */
  unanswered: number
  /** The result of this process's probe; null: it has none, or the probe is under way. */
  probe: 'good' | 'bad' | null
}

/** The circuit of a payment service that never failed. */
export const closedCircuit: Circuit = { state: 'closed', since: Number.NEGATIVE_INFINITY }

/** The circuit after its calls' results; the same object if they change nothing. */
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

function circuitAfterProbe(
  circuit: Extract<Circuit, { state: 'half_open' }>,
  probe: 'good' | 'bad',
  now: number,
): Circuit {
  if (probe === 'bad') return openedCircuit(circuit.openings, now)
  const goodProbes = circuit.goodProbes + 1
  return goodProbes >= GOOD_PROBES
    ? { state: 'closed', since: now }
    : { ...circuit, goodProbes, nextProbeAt: now + PROBE_INTERVAL_MS }
}

const hasTooManyFailures = ({ calls, failed, slow, lostInARow, unanswered }: Evidence): boolean =>
  lostInARow >= LOST_IN_A_ROW ||
  unanswered >= LOST_IN_A_ROW ||
  (calls >= MIN_CALLS && (failed >= calls * FAILED_SHARE || slow >= calls * SLOW_SHARE))

const openedCircuit = (earlierOpenings: number, now: number): Circuit => ({
  state: 'open',
  since: now,
  nextProbeAt: now + backOffMs(earlierOpenings, { first: FIRST_OPEN_MS, max: MAX_OPEN_MS }),
  openings: earlierOpenings + 1,
})

/**
 * Whether a payment may probe now if the payment service works again. It must claim the probe first
 * (`claimProbe`).
 */
export const canProbe = (circuit: UnhealthyCircuit, now: number): boolean => circuit.nextProbeAt <= now
