import { DOWN_AFTER_FAILURES, GIVE_UP_AFTER_MS, queuePauseAfter } from './back-off.ts'

/** What a queue's latest attempts say about its receiver. Times are ISO 8601. */
export interface ReceiverHealth {
  /** Failures in a row. Those of requests that were in flight when the pause began do not count. */
  failures: number
  /** The first of these failures; null: the last attempt succeeded. */
  failingSince: string | null
  /** The receiver is down: the queue pauses until then. Null: it does not pause. */
  resumeAt: string | null
  /** The receiver has failed for seven days. */
  isGivenUp: boolean
}

/** After a success. */
export const healthy: ReceiverHealth = { failures: 0, failingSince: null, resumeAt: null, isGivenUp: false }

/** The health at the beginning of a turn: a queue is leased only when its pause is over. */
export const healthOf = (queue: Pick<ReceiverHealth, 'failures' | 'failingSince'>): ReceiverHealth => ({
  ...healthy,
  failures: queue.failures,
  failingSince: queue.failingSince,
})

/**
 * The health after an attempt at `attemptedAt` (ISO 8601) has failed. `now` in milliseconds. Requests that
 * were in flight when the queue began its pause do not lengthen it.
 */
export function afterFailure(health: ReceiverHealth, attemptedAt: string, now: number): ReceiverHealth {
  const failingSince = health.failingSince ?? attemptedAt
  if (health.resumeAt !== null) return { ...health, failingSince }
  const failures = health.failures + 1
  if (failures < DOWN_AFTER_FAILURES) return { ...health, failures, failingSince }
  return {
    failures,
    failingSince,
    resumeAt: new Date(now + queuePauseAfter(failures)).toISOString(),
    isGivenUp: now - Date.parse(failingSince) >= GIVE_UP_AFTER_MS,
  }
}

/** A receiver that was down gets one request first, before it gets several at once. */
export const isDown = ({ failures }: ReceiverHealth): boolean => failures >= DOWN_AFTER_FAILURES

export const maySendTo = ({ resumeAt, isGivenUp }: ReceiverHealth): boolean => resumeAt === null && !isGivenUp
