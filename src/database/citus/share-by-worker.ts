import type pg from 'pg'
import { currentRequest, whileRequestPaused } from '../../api/request/request-context.ts'
import { CONNECT_TIMEOUT } from '../postgres/error-text.ts'
import { runOnConnection } from '../postgres/run-statement.ts'
import type { SharedCommits } from '../postgres/shared-commits.ts'
import { LOCK_TIMEOUT_MS } from '../timeouts.ts'
import { accountIn } from './account-in.ts'
import { followWorkers } from './account-workers.ts'

/**
 * The connections that one worker leaves to the accounts of others, and to background work, some of which asks all
 * workers: a quarter of the pool, and five at least. It limits a healthy worker, too.
 */
const leftBy = (max: number): number => Math.max(5, Math.ceil(max / 4))

/** The connections that statements about the accounts of one worker have now. */
interface Share {
  taken: number
  /** The turns of statements that wait for a connection, the first one first. */
  waiting: Set<() => void>
}

/** One connection of a share. */
interface Place {
  share: Share
}

/** The connections of a pool, in shares. */
interface SharedConnections extends SharedCommits, Pick<pg.Pool, 'options'> {
  /** A connection for the account of the request that is being answered. */
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/**
 * Gives statements about the accounts of one Citus worker three quarters of the pool's connections at most, and of a
 * small pool less. While a worker does not answer, statements wait for it on their connections; the accounts of other
 * workers have the rest then. Statements about all accounts take what they need. An account that moves to another worker
 * takes the connections of its statements along.
 *
 * Each statement has a commit of its own: Citus runs a function on the account's worker only outside a transaction.
 * Throws if a statement gets no connection within `waitMs`.
 */
export function shareByWorker(pool: pg.Pool, waitMs = LOCK_TIMEOUT_MS): SharedConnections {
  const most = Math.max(1, pool.options.max - leftBy(pool.options.max))
  const shares = new Map<string, Share>()
  /** What the statements about an account have: it follows the account to another worker. */
  const places = new Map<string, Set<Place>>()
  const workers = followWorkers(pool, (account, worker) => {
    for (const place of places.get(account) ?? []) {
      giveBack(place.share)
      place.share = shareOf(worker)
      place.share.taken += 1
    }
  })

  function shareOf(worker: string): Share {
    const share = shares.get(worker) ?? { taken: 0, waiting: new Set() }
    shares.set(worker, share)
    return share
  }

  /** Answers whether it has waited. */
  async function take(share: Share, account: string): Promise<boolean> {
    if (share.taken < most) {
      share.taken += 1
      return false
    }
    workers.doubt(account)
    // the request is late because of the worker, not because this process has too much to do
    await whileRequestPaused(() => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const turn = () => {
        clearTimeout(timer)
        share.waiting.delete(turn)
        resolve()
      }
      const timer = setTimeout(() => {
        share.waiting.delete(turn)
        reject(new Error(TOO_LATE))
      }, waitMs)
      share.waiting.add(turn)
      return promise
    })
    return true
  }

  /** The first statement that waits gets the place, unless accounts that have moved here take more than the part. */
  function giveBack(share: Share): void {
    const [turn] = share.waiting
    if (turn && share.taken <= most) turn()
    else share.taken -= 1
  }

  async function takePlace(account: string, worker: string): Promise<() => void> {
    const place: Place = { share: shareOf(worker) }
    while (await take(place.share, account)) {
      const now = shareOf((await workers.of(account).catch(() => undefined)) ?? worker)
      if (now === place.share) break
      // the account has moved meanwhile
      giveBack(place.share)
      place.share = now
    }
    const ofAccount = places.get(account) ?? new Set()
    places.set(account, ofAccount.add(place))
    return () => {
      ofAccount.delete(place)
      if (ofAccount.size === 0) places.delete(account)
      giveBack(place.share)
    }
  }

  async function connectFor(account: string | undefined): Promise<pg.PoolClient> {
    if (account === undefined) return pool.connect()
    const worker = await workers.of(account)
    if (worker === undefined) return pool.connect()
    const leave = await takePlace(account, worker)
    const client = await pool.connect().catch((error) => {
      leave()
      throw error
    })
    const { release } = client
    client.release = (reason) => {
      release(reason)
      leave()
    }
    return client
  }

  const connect = () => connectFor(currentRequest()?.account)
  const runAlone = async (query: pg.QueryConfig) =>
    runOnConnection(await connectFor(accountIn(query) ?? currentRequest()?.account), query)
  return {
    connect,
    run: runAlone,
    runAlone,
    get waiting() {
      return [...shares.values()].reduce((sum, { waiting }) => sum + waiting.size, 0)
    },
    options: pool.options,
    end: () => pool.end(),
  }
}

/** Begins as the pool's own error does when no connection was free in time. */
const TOO_LATE = `${CONNECT_TIMEOUT}: the worker of the account has not answered its other statements`
