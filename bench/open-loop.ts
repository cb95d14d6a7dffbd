import { constants, setPriority } from 'node:os'
import { type Assistant, assistant } from './assistant.ts'

/**
 * An open loop: requests are sent whether or not earlier ones are answered, like buyers' payments. Their
 * number in any time is Poisson distributed.
 */
export interface OpenLoad {
  url: string
  path: string
  headers: Record<string, string>
  body: string
  perSecond: number
  seconds: number
  /** The warm-up before it, which is not measured. */
  warmUpSeconds: number
  /**
   * True: the generator waits actively for the time of a request, which takes up to a core. False: requests may be
   * sent a millisecond or two late, which counts as their latency.
   */
  isPunctual: boolean
}

/**
 * Milliseconds from the time at which a request was due until its answer, however late it was sent. NaN:
 * there was none.
 */
export interface Latency {
  count: number
  p50: number
  p99: number
  most: number
}

export interface OpenLoaded {
  /** Answered with 2xx. */
  answered: Latency
  /** Answered with 429 or 503: the server refused for load. */
  shed: Latency
  /** Everything else: other statuses, broken connections, time-outs. */
  errors: number
  /** The number of each of them. */
  reasons: Record<string, number>
  /** Answers with 2xx in each second in which requests were sent; later answers are too late. */
  perSecond: number
  /** 99th percentile of the generator's own lateness, in milliseconds. */
  sendLag: number
}

export type OpenGenerator = Assistant<OpenLoad, OpenLoaded>

/** A round whose generator was later than this measured the generator itself. */
export const MAX_SEND_LAG_MS = 2

/**
 * Runs an open loop in a new process, with priority over the measured ones where possible: a late generator
 * would measure itself.
 */
export function startOpenGenerator(): OpenGenerator {
  const generator: OpenGenerator = assistant(new URL('./open-loop.process.ts', import.meta.url))
  try {
    setPriority(generator.pid, constants.priority.PRIORITY_HIGHEST)
  } catch {
    console.log('the generator waits for the cores like everybody else: only root may put it first')
  }
  return generator
}
