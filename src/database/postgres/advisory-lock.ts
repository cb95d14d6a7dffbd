import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Statements } from '../statements.ts'
import { hostUrls } from './hosts.ts'
import { findPrimary } from './primary.ts'

/** An advisory lock of the database, which one process has at a time. */
export interface AdvisoryLock {
  release(): Promise<void>
}

/** How long after it has broken a connection is replaced. */
const RETRY_MS = 500
/** How long the lock is tried for. */
const TAKE_WITHIN_MS = 2_000
/** How often the connection is checked, and how long an answer may take. */
const CHECK_MS = 1_000
const ANSWER_WITHIN_MS = 3_000

/** Whether a process has the lock `name`. It is taken shared for this one statement, so that two may ask at once. */
export async function isLockTaken(run: Statements, name: string): Promise<boolean> {
  const [lock] = await run<{ free: boolean }>(
    'select pg_try_advisory_xact_lock_shared(hashtextextended($1, 0)) as free',
    [name],
  )
  return lock?.free === false
}

/**
 * Takes the lock `name` on a connection of its own, so that the lock ends with the process, however that
 * dies. Undefined: another process has it. Throws if the database cannot be reached. A connection that breaks is
 * replaced; `lost` is called if another process has taken the lock meanwhile.
 */
export async function takeLock(
  connectionString: string,
  name: string,
  lost: () => void,
): Promise<AdvisoryLock | undefined> {
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let released = false

  const broken = () => {
    if (!released) retry ??= setTimeout(takeAgain, RETRY_MS).unref()
  }
  async function take(): Promise<boolean> {
    const socket = new Socket()
    const fresh = new pg.Client({
      connectionString: await findPrimary(hostUrls(connectionString)),
      stream: () => socket,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
    })
    fresh.on('error', () => undefined)
    const isTaken = await tryLock(fresh).catch((error) => {
      // the server may take the lock for it after all, and would keep it for as long as the connection is open
      socket.destroy()
      throw error
    })
    const taken = isTaken && !released
    if (!taken) await fresh.end()
    else {
      client = fresh.on('end', broken)
      void breakWhenSilent(fresh, socket)
    }
    return taken
  }
  async function tryLock(fresh: pg.Client): Promise<boolean> {
    await fresh.connect()
    const { rows } = await fresh.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [name],
    )
    return rows[0]?.taken === true
  }
  /**
   * A frozen or unreachable server does not end the connection, and a standby that is promoted meanwhile knows
   * nothing of the lock.
   */
  async function breakWhenSilent(holder: pg.Client, socket: Socket): Promise<void> {
    try {
      while (!released && client === holder) {
        await wait(CHECK_MS, undefined, { ref: false })
        await holder.query('select')
      }
    } catch {
      socket.destroy()
    }
  }
  async function takeAgain() {
    retry = undefined
    try {
      if (!(await takePatiently()) && !released) lost()
    } catch {
      broken()
    }
  }
  // the server may need a moment to notice that the last process with the lock is gone
  async function takePatiently(): Promise<boolean> {
    const until = performance.now() + TAKE_WITHIN_MS
    while (performance.now() < until && !released) {
      if (await take()) return true
      await wait(100)
    }
    return false
  }

  if (!(await takePatiently())) return undefined
  return {
    async release() {
      released = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
