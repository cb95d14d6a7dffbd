import type { Statements } from '../statements.ts'
import { horizonOf } from './event-log.ts'

/**
 * The horizon of the log of events for all readers of a process: on Citus each question opens a connection to every
 * node. An earlier answer is lower, so a reader sees the newest rows a little later, and misses none.
 */
export interface SharedHorizon {
  /** Asks the database now. */
  renew(): Promise<number>
  /** The latest answer if it is recent, the one that is awaited, or a new one. */
  recent(): Promise<number>
}

/** An answer is recent for ten times as long as it took, within these bounds in milliseconds. */
const RECENT_MS = { min: 25, max: 250 }

export function makeSharedHorizon(world: { run: Statements }): SharedHorizon {
  let latest: { horizon: Promise<number>; recentUntil: number } | undefined
  const renew = () => {
    const askedAt = performance.now()
    const question = { horizon: horizonOf(world), recentUntil: Number.POSITIVE_INFINITY }
    latest = question
    question.horizon.then(
      () => {
        const now = performance.now()
        question.recentUntil = now + Math.min(Math.max(10 * (now - askedAt), RECENT_MS.min), RECENT_MS.max)
      },
      () => {
        question.recentUntil = 0
      },
    )
    return question.horizon
  }
  return {
    renew,
    recent: () => (latest && performance.now() < latest.recentUntil ? latest.horizon : renew()),
  }
}
