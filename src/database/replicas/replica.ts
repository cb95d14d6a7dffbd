import { setTimeout as wait } from 'node:timers/promises'
import pg, { type PoolClient } from 'pg'
import { backOffMs } from '../../base/back-off.ts'
import { SERIALIZATION_FAILURE } from '../error-codes.ts'
import { watchAvailability } from '../postgres/availability.ts'
import { errorText } from '../postgres/error-text.ts'
import { databaseName } from '../postgres/hosts.ts'
import { hasOwnSession, noOwnSession } from '../postgres/own-session.ts'
import { prepareReplicaSession } from '../postgres/prepare-session.ts'
import { releaseAfter } from '../postgres/run-statement.ts'
import { urlConfig } from '../postgres/url-config.ts'
import { typeParsers } from '../query-builder.ts'
import { namedQuery } from '../statements.ts'
import { followLag, type Lag } from './lag.ts'
import { type Reader, readerOn } from './reader.ts'
import { NEWEST_HISTORY, type WalPosition } from './wal-position.ts'

export interface ReplicaState extends Lag {
  /** Host and database, without user and password. */
  name: string
  /** Why it is not used; undefined: it is. */
  problem: string | undefined
}

/** `behind`: it has not reached the position in time. `failed`: a statement failed, or was not answered. */
type ReplicaRead<T> = { kind: 'read'; value: T } | { kind: 'behind' } | { kind: 'failed' }

/** A read replica: a standby that answers reads. */
export interface Replica {
  state(): ReplicaState
  /** True: it answers, and is hardly behind. */
  isUsable(): boolean
  /**
   * Runs `work` once the replica has replayed the position. Throws what `work` throws if none of its
   * statements has failed.
   */
  read<T>(
    position: WalPosition,
    work: (reader: Reader) => Promise<T>,
    answerWithin: number,
  ): Promise<ReplicaRead<T>>
  /** Finds out whether it answers, and how far it is. `asked`: `performance.now()` before the position. */
  look(position: WalPosition, asked: number): Promise<void>
  close(): Promise<void>
}

/** How long a replica may take to connect, and to tell how far it is. */
const ANSWER_WITHIN_MS = 1_000
/** How long a read waits for a replica that answers to reach the position, and for one that does not answer. */
const CATCH_UP_MS = 200
const CHECK_WITHIN_MS = 300
const POLL_MS = 4
/** A replica that is so far behind is not waited for. */
const MAX_LAG_SECONDS = 1
/** A request goes to the primary after so long; a report sets its own. */
export const REPLICA_STATEMENT_TIMEOUT_MS = 5_000
/** A slow replica is left alone after a read that failed. */
const PAUSE = { first: 500, max: 30_000 }
/** After so many unanswered looks in a row every connection is closed, and with it the reads that wait. */
const MAX_SILENT_LOOKS = 2

const BEHIND = `it is more than ${MAX_LAG_SECONDS} s behind the primary`
const PAUSED = 'reads from it have failed or were slow, and it is left alone for a while'

const selectReached = `
select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasReached",
       (select mark from (${NEWEST_HISTORY}) newest) = $2::uuid as "isSameHistory"`

const selectState = `
select pg_is_in_recovery() as "isStandby",
       pg_last_wal_replay_lsn()::text as lsn,
       (select mark from (${NEWEST_HISTORY}) newest) = $1::uuid as "isSameHistory"`

interface Found {
  isStandby: boolean
  lsn: string | null
  isSameHistory: boolean | null
}

export function openReplica(connectionString: string, maxConnections: number): Replica {
  const availability = watchAvailability()
  const lag = followLag()
  const config = {
    Client: class extends pg.Client {
      constructor(options?: pg.ClientConfig) {
        super({ ...options, ...urlConfig(connectionString) })
      }
    },
    types: typeParsers,
    pipeline: true,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
    onConnect: prepareReplicaSession(REPLICA_STATEMENT_TIMEOUT_MS),
  }
  const pool = new pg.Pool({
    ...config,
    max: maxConnections,
    idleTimeoutMillis: 300_000,
    stream: availability.socket,
  })
  // reads that use every connection must not make the replica look dead
  const watcher = new pg.Pool({
    ...config,
    max: 1,
    idleTimeoutMillis: 0,
    stream: availability.listenerSocket,
  })
  for (const each of [pool, watcher]) {
    each.on('error', () => undefined)
    each.on('connect', (client) => void client.on('error', () => undefined))
  }
  let problem: string | undefined = 'it was not asked yet'
  let silentLooks = 0
  let failedReads = 0
  let pausedUntil = 0
  let isOwnSession: boolean | undefined
  let measured: Lag = { seconds: 0, bytes: 0 }

  const problemNow = () => {
    if (problem !== undefined) return problem
    if (measured.seconds > MAX_LAG_SECONDS) return BEHIND
    return performance.now() < pausedUntil ? PAUSED : undefined
  }

  async function look(position: WalPosition, asked: number): Promise<void> {
    lag.primaryAt(position, asked)
    try {
      problem = await findProblem(position)
      if (silentLooks > 0) failedReads = pausedUntil = 0
      silentLooks = 0
      availability.markAvailable()
    } catch (error) {
      problem = `it cannot be asked: ${errorText(error)}`
      silentLooks += 1
      if (silentLooks >= MAX_SILENT_LOOKS) availability.markUnavailable()
    }
    measured = lag.lagAt(performance.now())
  }

  async function findProblem({ mark }: WalPosition): Promise<string | undefined> {
    const client = await watcher.connect()
    return releaseAfter(client, async () => {
      isOwnSession ??= await hasOwnSession(
        client,
        () =>
          new pg.Client({
            connectionString,
            connectionTimeoutMillis: ANSWER_WITHIN_MS,
            query_timeout: ANSWER_WITHIN_MS,
          }),
      )
      if (!isOwnSession) return noOwnSession('DATABASE_REPLICA_URLS')
      const { rows } = await client.query<Found>(namedQuery(selectState, [mark]))
      const [found] = rows
      if (!found?.isStandby) return 'it is not a standby'
      // the positions of another history say nothing
      if (!found.isSameHistory) return 'it does not follow the primary, or has not replayed its last failover'
      if (found.lsn !== null) lag.replayed(found.lsn)
      return undefined
    })
  }

  /** A connection to a server that has replayed the position; undefined: it has not in time. */
  async function connectionAt(
    { lsn, mark }: WalPosition,
    isLate: () => boolean,
  ): Promise<PoolClient | undefined> {
    const client = await pool.connect()
    try {
      while (!isLate()) {
        const { rows } = await client.query<{ hasReached: boolean | null; isSameHistory: boolean | null }>(
          namedQuery(selectReached, [lsn, mark]),
        )
        if (rows[0]?.hasReached && rows[0].isSameHistory) return client
        await wait(POLL_MS)
      }
    } catch (error) {
      client.release(true)
      throw error
    }
    client.release()
    return undefined
  }

  /** `late`: not even an answer came in time. */
  async function connectionInTime(position: WalPosition): Promise<PoolClient | 'behind' | 'late'> {
    const until = performance.now() + CATCH_UP_MS
    const isLate = () => performance.now() >= until
    const connecting = connectionAt(position, isLate)
    const connected = await Promise.race([
      connecting.then((client) => client ?? ('behind' as const)),
      wait(CHECK_WITHIN_MS, 'late' as const, { ref: false }),
    ])
    if (connected === 'late')
      connecting.then(
        (client) => client?.release(),
        () => undefined,
      )
    return connected
  }

  /** Once for reads that fail together. */
  function pause({ isLonger }: { isLonger: boolean }): void {
    if (performance.now() < pausedUntil) return
    pausedUntil = performance.now() + backOffMs(isLonger ? failedReads : 0, PAUSE)
    if (isLonger) failedReads += 1
  }

  return {
    state: () => ({ name: databaseName(connectionString), problem: problemNow(), ...measured }),
    isUsable: () => problemNow() === undefined,
    look,
    async read(position, work, answerWithin) {
      const client = await connectionInTime(position).catch(() => 'late' as const)
      if (client === 'behind') return { kind: 'behind' }
      if (client === 'late') {
        // this process may be the one that is slow; `look` finds out whether the replica answers
        pause({ isLonger: false })
        return { kind: 'failed' }
      }
      const reader = readerOn(client, answerWithin)
      let isDone = false
      try {
        const value = await work(reader)
        isDone = reader.failure() === undefined
        if (isDone) return { kind: 'read', value }
      } catch (error) {
        isDone = reader.failure() === undefined
        if (isDone) throw error
      } finally {
        client.release(!isDone)
        if (isDone) failedReads = 0
      }
      if (!isConflict(reader.failure())) pause({ isLonger: true })
      return { kind: 'failed' }
    },
    async close() {
      // a frozen server would not answer a goodbye
      availability.markUnavailable()
      await Promise.all([pool.end(), watcher.end()])
    },
  }
}

/**
 * Replaying the log was in the way of the statement, and canceled it: the replica is well. Its other refusals
 * cost the reads that follow a pause.
 */
const isConflict = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === SERIALIZATION_FAILURE
