/** A request that was taken on. */
export interface PendingRequest {
  /** It waits for somebody else: for a payment service's answer, for its client to send the rest of it. */
  pause(): void
  resume(): void
  /** It is answered. */
  finish(): void
}

/** The requests that this process has taken on and not answered yet. */
export interface PendingRequests {
  add(): PendingRequest
  /** How many of them wait for this process and its database, and for nobody else. */
  activeCount(): number
  /** How long a request that comes now would be here, in milliseconds. */
  waitMs(): number
}

/** How much of what is known of the pace is what the newest answer says: answers come in batches, so single ones say little. */
const NEWEST = 1 / 64
/** Until the pace is known. */
const FIRST_GUESS_MS = 1
/** So many at once are no queue: they keep cores and database busy, and how long each takes says nothing of how many could be answered. */
const AT_ONCE = 32
/** So often at least a request waits for the event loop: to be read, to be let in, for two commits and a payment service. */
const TURNS = 5
/** How much of what is known of the loop is what its newest turn took. */
const NEWEST_TURN = 1 / 8

/**
 * Watches how many requests are here, and at which pace they are answered while there are any: a newcomer is here for as long as the one times the other (Little's law). That sees
 * whatever it is that they wait for, be it the event loop, a connection or the database's processor. Where the event loop has too much to do for that they be seen at all, its turns
 * tell. `now` is in milliseconds; `turnMs`: what a turn of the loop takes.
 */
export function trackPendingRequests(now: () => number = () => performance.now(), turnMs: () => number = measureLoopTurns(now)): PendingRequests {
  let here = 0
  let everyMs = FIRST_GUESS_MS
  let lastAnswer = now()
  let wasBusy = false

  const left = () => {
    here -= 1
    if (here === 0) wasBusy = false
  }
  const answered = () => {
    const answer = now()
    // from one answer to the next, and somebody was here all the time
    if (wasBusy) everyMs += (answer - lastAnswer - everyMs) * NEWEST
    lastAnswer = answer
  }
  return {
    add() {
      let state: 'here' | 'away' | 'gone' = 'here'
      here += 1
      return {
        pause() {
          if (state !== 'here') return
          state = 'away'
          left()
        },
        resume() {
          if (state !== 'away') return
          state = 'here'
          here += 1
        },
        finish() {
          if (state === 'gone') return
          answered()
          if (state === 'here') here -= 1
          state = 'gone'
          wasBusy = here > 0
        },
      }
    },
    activeCount: () => here,
    waitMs: () => Math.max(here <= AT_ONCE ? 0 : here * everyMs, TURNS * turnMs()),
  }
}

/** What a turn of the event loop takes, in milliseconds. Looked at whenever somebody asks, so that a process at rest stays at rest. */
function measureLoopTurns(now: () => number): () => number {
  let turnMs = 0
  let isLooking = false
  const look = () => {
    isLooking = true
    setImmediate(() => {
      const began = now()
      setImmediate(() => {
        turnMs += (now() - began - turnMs) * NEWEST_TURN
        isLooking = false
      })
    })
  }
  return () => {
    if (!isLooking) look()
    return turnMs
  }
}
