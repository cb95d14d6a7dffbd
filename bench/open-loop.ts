import { constants, setPriority } from 'node:os'
import { type Assistant, assistant } from './assistant.ts'

/** What is sent whether or not what was sent before is answered, as buyers do: their number in any time is Poisson's. */
export interface OpenLoad {
  url: string
  path: string
  headers: Record<string, string>
  body: string
  perSecond: number
  seconds: number
  /** What is sent before that, and not measured. */
  warmUpSeconds: number
}

/** Milliseconds from when a request was due, whatever kept it from being sent. NaN: there was none. */
export interface Latency {
  count: number
  p50: number
  p99: number
  most: number
}

export interface OpenLoaded {
  /** Answered with 2xx. */
  answered: Latency
  /** Answered with 429 or 503: the server had enough to do. */
  shed: Latency
  /** Everything else: other statuses, broken connections, time-outs. */
  errors: number
  /** How often each of them. */
  reasons: Record<string, number>
  /** Answered with 2xx while requests were being sent, for each second of that: what came afterwards is no answer in time. */
  perSecond: number
  /** 99th percentile of how late the generator itself was, in milliseconds. */
  sendLag: number
}

export type OpenGenerator = Assistant<OpenLoad, OpenLoaded>

/** A round whose generator was later than this measured the generator (FIGURES §3). */
export const MAX_SEND_LAG_MS = 2

/** An open loop in a process of its own, which has the cores before those that it measures, where it may: whoever sends late has measured itself. */
export function startOpenGenerator(): OpenGenerator {
  const generator: OpenGenerator = assistant(new URL('./open-loop.process.ts', import.meta.url))
  try {
    setPriority(generator.pid, constants.priority.PRIORITY_HIGHEST)
  } catch {
    console.log('the generator waits for the cores like everybody else: only root may put it first')
  }
  return generator
}
