import { type Assistant, assistant } from '../assistant.ts'

/**
 * `listen`: answers the URL. `forget`: whatever came so far. `wait`: until so many different events have come
 * at its paths, over all of them.
 */
export type ReceiverQuestion =
  | { ask: 'listen' }
  | { ask: 'forget' }
  | { ask: 'wait'; deliveries: number; withinMs: number }

/** What has come since it was last cleared. */
export interface ReceiverAnswer {
  url: string
  /** Different events, counted for each path. */
  deliveries: number
  /** All requests. */
  requests: number
  /** Between the first and the last of them. */
  seconds: number
  /** When each delivery came first, in milliseconds since 1970: `PATH ID` → time. */
  arrivals: Map<string, number>
}

export type BenchReceiver = Assistant<ReceiverQuestion, ReceiverAnswer>

/**
 * A merchant's server in a process of its own: reads the request to its end, remembers its id, and answers
 * 200.
 */
export const startReceiver = (): BenchReceiver => assistant(new URL('./receiver.process.ts', import.meta.url))
