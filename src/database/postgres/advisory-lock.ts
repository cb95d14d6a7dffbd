import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/** An advisory lock of the database, which one process has at a time. */
export interface AdvisoryLock {
  release(): Promise<void>
}

const RETRY_MS = 500
const TIMEOUT_MS = 2_000

/**
 * Takes the lock `name` on a connection of its own, so that the lock ends with the process, however that
 * dies. Undefined: another process has it. A connection that breaks is replaced; `lost` is called if another
 * process has taken the lock meanwhile.
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
    const fresh = new pg.Client({ connectionString, keepAlive: true, connectionTimeoutMillis: 3_000 })
    fresh.on('error', () => undefined)
    await fresh.connect()
    const { rows } = await fresh.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [name],
    )
    const taken = rows[0]?.taken === true && !released
    if (!taken) await fresh.end()
    else client = fresh.on('end', broken)
    return taken
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
    for (
      const patient = performance.now() + TIMEOUT_MS;
      performance.now() < patient && !released;
      await wait(100)
    )
      if (await take()) return true
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
