import { backOffMs } from '../../base/back-off.ts'
import type { MerchantAnswer } from '../../outgoing/merchant-http.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/**
 * How long a delivery is tried, in milliseconds: from the event on, or from its retry or replay (semantics
 * §15.2).
 */
export const GIVE_UP_AFTER_MS = 7 * 24 * HOUR_MS

const FIRST_PAUSE_MS = 5 * SECOND_MS
/** Also the longest pause that a receiver's `Retry-After` can ask for. */
export const MAX_DELIVERY_PAUSE_MS = 6 * HOUR_MS

/**
 * After this many failures in a row the receiver counts as down: its queue pauses, and then sends one
 * delivery at a time.
 */
export const DOWN_AFTER_FAILURES = 12
const MAX_QUEUE_PAUSE_MS = 300 * SECOND_MS

/**
 * The pause after the `tries`-th failed attempt, in milliseconds, without its jitter: 5 s, doubled each time,
 * and at most 6 hours.
 */
export const deliveryPauseAfter = (tries: number): number =>
  backOffMs(tries - 1, { first: FIRST_PAUSE_MS, max: MAX_DELIVERY_PAUSE_MS })

/**
 * The pause with ±10 %, so that deliveries that failed together are not retried together. `chance`: 0 ≤
 * chance < 1.
 */
export const withJitter = (pause: number, chance: number): number => Math.round(pause * (0.9 + 0.2 * chance))

/**
 * How long a queue pauses after `failures` failed attempts in a row, in milliseconds; 0 below
 * `DOWN_AFTER_FAILURES`: 5 s, doubled each time, and at most 5 minutes.
 */
export const queuePauseAfter = (failures: number): number =>
  failures < DOWN_AFTER_FAILURES
    ? 0
    : backOffMs(failures - DOWN_AFTER_FAILURES, { first: FIRST_PAUSE_MS, max: MAX_QUEUE_PAUSE_MS })

/**
 * The pause that an overloaded receiver asks for, in milliseconds: `Retry-After` of a 429 or 503, in seconds
 * or as a date. 0: it asks for none.
 */
export function requestedPauseOf(
  { status, headers }: Pick<MerchantAnswer, 'status' | 'headers'>,
  now: number,
): number {
  const retryAfter = status === 429 || status === 503 ? headers['retry-after'] : undefined
  if (retryAfter === undefined) return 0
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND_MS : Date.parse(retryAfter) - now
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_DELIVERY_PAUSE_MS)
}
