import type { MerchantAnswer } from '../outgoing/merchant-http.ts'

const SECOND = 1_000
const HOUR = 3_600_000

/** How long a delivery is tried: from the event on, or from when it was asked for again (SEMANTICS §15.2). */
export const GIVE_UP_AFTER = 7 * 24 * HOUR

const FIRST_PAUSE = 5 * SECOND
/** Also the longest that a receiver's `Retry-After` is followed. */
export const LONGEST_PAUSE = 6 * HOUR

/** After so many failures, with no success between, a receiver is taken to be down: its queue rests, and is tried with one delivery at a time. */
export const DOWN_AFTER = 12
const LONGEST_REST = 300 * SECOND

/** The pause after the `tries`-th failed attempt, in milliseconds, without its jitter: 5 s, doubled each time, and at most 6 hours. */
export const pauseAfter = (tries: number): number => Math.min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE)

/** The pause with ±10 %, so that what failed together does not come back together. `chance`: 0 ≤ chance < 1. */
export const jittered = (pause: number, chance: number): number => Math.round(pause * (0.9 + 0.2 * chance))

/** How long a queue rests when `failures` attempts have failed on end, in milliseconds; 0 below `DOWN_AFTER`: 5 s, doubled each time, and at most 5 minutes. */
export const restAfter = (failures: number): number =>
  failures < DOWN_AFTER ? 0 : Math.min(FIRST_PAUSE * 2 ** (failures - DOWN_AFTER), LONGEST_REST)

/** What a receiver that is overloaded asks for, in milliseconds; 0 where it asks for nothing. */
export function askedPause({ status, headers }: Pick<MerchantAnswer, 'status' | 'headers'>, now: number): number {
  const asked = status === 429 || status === 503 ? headers['retry-after'] : undefined
  if (asked === undefined) return 0
  const ms = /^\d+$/.test(asked) ? Number(asked) * SECOND : Date.parse(asked) - now
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_PAUSE)
}
