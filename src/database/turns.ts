/** What `pg.Pool` is to whoever only watches it. */
interface Queue {
  readonly waitingCount: number
  on(event: 'acquire', listener: () => void): unknown
}

/** How much of what is known of the pace is what the newest turn says: a pool gives connections back in batches, so single turns say little. */
const NEWEST = 1 / 64

/**
 * Watches who gets a connection, and answers how long a query that comes now is likely to wait for one, in milliseconds; 0 while nobody waits.
 *
 * That is the number of those in front times the pace at which connections were given out while somebody waited, and the time for which none has been: it
 * tells of a queue while it grows, where the waits of those that came through tell of the queue that they met. `now` is in milliseconds.
 */
export function watchTurns(pool: Queue, now: () => number = () => performance.now()): () => number {
  let lastTurn = now()
  let everyMs = 0
  let isQueue = false
  pool.on('acquire', () => {
    const turn = now()
    // from one turn to the next, and somebody waited all the time
    if (isQueue) everyMs += (turn - lastTurn - everyMs) * NEWEST
    lastTurn = turn
    isQueue = pool.waitingCount > 0
  })
  return () => (pool.waitingCount === 0 ? 0 : pool.waitingCount * everyMs + now() - lastTurn)
}
