import type { MerchantAnswer } from '../../outgoing/merchant-http.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000

/** How long a delivery is tried: from the event on, or from when it was asked for again (SEMANTICS §15.2). */
export const GIVE_UP_AFTER_MS = 7 * 24 * HOUR_MS

const FIRST_PAUSE_MS = 5 * SECOND_MS
/** Also the longest that a receiver's `Retry-After` is followed. */
export const MAX_DELIVERY_PAUSE_MS = 6 * HOUR_MS

/** After so many failures, with no success between, a receiver is taken to be down: its queue rests, and is tried with one delivery at a time. */
export const DOWN_AFTER_FAILURES = 12
const MAX_QUEUE_PAUSE_MS = 300 * SECOND_MS

/** The pause after the `tries`-th failed attempt, in milliseconds, without its jitter: 5 s, doubled each time, and at most 6 hours. */
export const deliveryPauseAfter = (tries: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), MAX_DELIVERY_PAUSE_MS)

/** The pause with ±10 %, so that what failed together does not come back together. `chance`: 0 ≤ chance < 1. */
export const withJitter = (pause: number, chance: number): number => Math.round(pause * (0.9 + 0.2 * chance))

/** How long a queue rests when `failures` attempts have failed on end, in milliseconds; 0 below `DOWN_AFTER_FAILURES`: 5 s, doubled each time, and at most 5 minutes. */
export const queuePauseAfter = (failures: number): number =>
  failures < DOWN_AFTER_FAILURES ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - DOWN_AFTER_FAILURES), MAX_QUEUE_PAUSE_MS)

/** What a receiver that is overloaded asks for, in milliseconds; 0 where it asks for nothing. */
export function requestedPauseOf({ status, headers }: Pick<MerchantAnswer, 'status' | 'headers'>, now: number): number {
  const asked = status === 429 || status === 503 ? headers['retry-after'] : undefined
  if (asked === undefined) return 0
  const ms = /^\d+$/.test(asked) ? Number(asked) * SECOND_MS : Date.parse(asked) - now
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_DELIVERY_PAUSE_MS)
}
