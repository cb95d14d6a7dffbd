/** A request that this process has begun to answer. */
export interface PendingRequest {
  /**
   * The request waits for another party: for a payment service's answer, or for its client to send the rest
   * of the body.
   */
  pause(): void
  resume(): void
  /** The request is answered, or its client is gone. */
  finish(): void
}

/** The requests that this process has begun and not answered yet. */
export interface PendingRequests {
  add(): PendingRequest
  /** The number of requests that wait for this process and its database, and for no other party. */
  activeCount(): number
  /** How long a request that arrives now would take, in milliseconds. */
  waitMs(): number
}

/**
 * The weight of the newest answer in the average time between answers: answers come in batches, so that a
 * single one says little.
 */
const ANSWER_WEIGHT = 1 / 64
/** The time between answers until it is measured. */
const FIRST_GUESS_MS = 1
/**
 * Up to this many requests are no queue: they keep the cores and the database busy, and how long each takes
 * does not say how many could be answered. If the event loop is slow beside so few, refusing another one would
 * not make it faster.
 */
const MAX_CONCURRENT = 32
/**
 * The turns of the event loop that each request waits for at least: to be read, to be admitted, for two
 * commits and for a payment service.
 */
const TURNS_PER_REQUEST = 5
/** The weight of the newest turn of the event loop in the average. */
const TURN_WEIGHT = 1 / 8

/**
 * Estimates how long a new request would take: the number of pending requests times the time between answers
 * (Little's law). That includes every cause of waiting: the event loop, a connection, the database's
 * processor. If the event loop is too busy to see new requests at all, the length of its turns shows it.
 * `now` is in milliseconds; `turnMs` returns the length of a turn of the event loop.
 */
export function trackPendingRequests(
  now: () => number = () => performance.now(),
  turnMs: () => number = measureLoopTurns(now),
): PendingRequests {
  let active = 0
  let msBetweenAnswers = FIRST_GUESS_MS
  let lastAnswer = now()
  let wasBusy = false

  const deactivate = () => {
    active -= 1
    if (active === 0) wasBusy = false
  }
  const measureAnswer = () => {
    const answer = now()
    // only if requests were active all the time since the last answer
    if (wasBusy) msBetweenAnswers += (answer - lastAnswer - msBetweenAnswers) * ANSWER_WEIGHT
    lastAnswer = answer
  }
  return {
    add() {
      let state: 'active' | 'paused' | 'finished' = 'active'
      active += 1
      return {
        pause() {
          if (state !== 'active') return
          state = 'paused'
          deactivate()
        },
        resume() {
          if (state !== 'paused') return
          state = 'active'
          active += 1
        },
        finish() {
          if (state === 'finished') return
          measureAnswer()
          if (state === 'active') active -= 1
          state = 'finished'
          wasBusy = active > 0
        },
      }
    },
    activeCount: () => active,
    waitMs: () =>
      active <= MAX_CONCURRENT ? 0 : Math.max(active * msBetweenAnswers, TURNS_PER_REQUEST * turnMs()),
  }
}

/**
 * The length of a turn of the event loop, in milliseconds. It is measured only when it is asked for, so that
 * an idle process stays idle.
 */
function measureLoopTurns(now: () => number): () => number {
  let turnMs = 0
  let isMeasuring = false
  const measure = () => {
    isMeasuring = true
    setImmediate(() => {
      const began = now()
      setImmediate(() => {
        turnMs += (now() - began - turnMs) * TURN_WEIGHT
        isMeasuring = false
      })
    })
  }
  return () => {
    if (!isMeasuring) measure()
    return turnMs
  }
}
