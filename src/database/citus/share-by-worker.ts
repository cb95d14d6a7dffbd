import type pg from 'pg'
import { currentRequest, whileRequestPaused } from '../../api/request/request-context.ts'
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
  /** Those that wait for one of them, the first one first. */
  waiting: Set<() => void>
}

/** The connections of a pool, in shares. */
export interface SharedConnections extends SharedCommits, Pick<pg.Pool, 'options'> {
  /** A connection for the account of the request that is being answered. */
  connect(): Promise<pg.PoolClient>
  end(): Promise<void>
}

/**
 * Gives statements about the accounts of one Citus worker three quarters of the pool's connections at most, and of a
 * small pool less. While a worker does not answer, statements wait for it on their connections; the accounts of other
 * workers have the rest then. Statements about all accounts take what they need.
 *
 * Each statement has a commit of its own: Citus runs a function on the account's worker only outside a transaction.
 * Throws if a statement gets no connection within `waitMs`.
 */
export function shareByWorker(pool: pg.Pool, waitMs = LOCK_TIMEOUT_MS): SharedConnections {
  const most = Math.max(1, pool.options.max - leftBy(pool.options.max))
  const shares = new Map<string, Share>()
  const workers = followWorkers(pool)

  function shareOf(worker: string): Share {
    const share = shares.get(worker) ?? { taken: 0, waiting: new Set() }
    shares.set(worker, share)
    return share
  }

  async function take(share: Share): Promise<void> {
    if (share.taken < most) {
      share.taken += 1
      return
    }
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
  }

  /** The first one that waits has the place, if there is one. */
  function giveBack(share: Share): void {
    const [turn] = share.waiting
    if (turn) turn()
    else share.taken -= 1
  }

  async function connectFor(account: string | undefined): Promise<pg.PoolClient> {
    const worker = account === undefined ? undefined : await workers.of(account)
    if (worker === undefined) return pool.connect()
    const share = shareOf(worker)
    await take(share)
    const client = await pool.connect().catch((error) => {
      giveBack(share)
      throw error
    })
    const { release } = client
    client.release = (reason) => {
      release(reason)
      giveBack(share)
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
const TOO_LATE =
  'timeout exceeded when trying to connect: the worker of the account has not answered its other statements'
