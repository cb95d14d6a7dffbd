import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { UnusableDatabase } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { takeLock } from '../../src/database/postgres/advisory-lock.ts'
import { LOCK_TIMEOUT_MS } from '../../src/database/timeouts.ts'
import { readSettings } from '../../src/settings.ts'
import { launch, type Running } from '../crash/process.ts'
import { hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { card, ownDatabase, startTestRailyard } from '../support/railyard.ts'

const withPgbouncer = test.runIf(hasPgbouncer)

async function pgbouncer(settings: Record<string, string>): Promise<{ url: string; direct: string }> {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  const bouncer = await startPgbouncer(own.url, settings)
  onTestFinished(() => bouncer.close().finally(own.drop))
  return { url: bouncer.url, direct: own.url }
}

withPgbouncer.each([
  { pool_mode: 'transaction' },
  { pool_mode: 'transaction', server_round_robin: '1', min_pool_size: '5' },
  { pool_mode: 'transaction', default_pool_size: '1' },
  { pool_mode: 'statement' },
])('PgBouncer with %o is refused at the start, with the mode that works', async (settings) => {
  const { url } = await pgbouncer(settings)
  const opening = openDatabase(readSettings({ DATABASE_URL: url }))
  await expect(opening).rejects.toThrow(UnusableDatabase)
  await expect(opening).rejects.toThrow(/set pool_mode = session in PgBouncer/)
})

withPgbouncer('PgBouncer with one connection to the server is refused at the start', async () => {
  const { url } = await pgbouncer({ pool_mode: 'session', default_pool_size: '1' })
  const opening = openDatabase(readSettings({ DATABASE_URL: url }))
  await expect(opening).rejects.toThrow(UnusableDatabase)
  await expect(opening).rejects.toThrow(/default_pool_size of PgBouncer must have room/)
})

withPgbouncer(
  'payments, announcements and locks work through PgBouncer in session mode, with the session settings of Railyard',
  async () => {
    const { url, direct } = await pgbouncer({ pool_mode: 'session', default_pool_size: '40' })
    const railyard = await startTestRailyard({ DATABASE_URL: url })
    onTestFinished(railyard.close)
    const merchant = await railyard.merchant()
    const paid = await merchant.post('/transactions', {
      amount: 12_99,
      currency: 'EUR',
      country: 'DE',
      payment_method: card,
    })
    expect(paid.status).toBe(201)
    const [session] = await railyard.world.run(
      `select current_setting('statement_timeout') as statement, current_setting('timezone') as zone`,
      [],
    )
    expect(session).toEqual({ statement: '30s', zone: 'UTC' })

    const heard: string[] = []
    railyard.world.changes.subscribe((topic) => heard.push(topic))
    const other = await openDatabase(readSettings({ DATABASE_URL: direct }))
    onTestFinished(other.close)
    await other.run(`select pg_notify('railyard_changes', 'bins')`, [])
    await expect.poll(() => heard).toEqual(['bins'])

    const lock = await takeLock(url, 'lock', () => undefined)
    expect(lock).toBeDefined()
    expect(await takeLock(direct, 'lock', () => undefined)).toBe(undefined)
    await lock?.release()
  },
)

/** Longer than Railyard waits for a connection, and shorter than PgBouncer lets a client wait for one (120 s). */
const IN_TIME_MS = 60_000

withPgbouncer(
  'a statement that gets no connection of a small default_pool_size is refused in time, and the database closes',
  async () => {
    const { url } = await pgbouncer({ pool_mode: 'session', default_pool_size: '4' })
    const database = await openDatabase(readSettings({ DATABASE_URL: url }))
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => database.run(`select pg_sleep(${2 * (LOCK_TIMEOUT_MS / 1_000)})`, [])),
    )
    const refused = answers.filter((answer) => answer.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(8)
    for (const { reason } of refused)
      expect(String(reason)).toMatch(/timeout exceeded when trying to connect/)
    await database.close()
  },
  IN_TIME_MS,
)

const TOO_FEW = /^railyard: the database has no free connection for this process: [^\n]+$/

async function launchStart(size: string): Promise<Running> {
  const { url } = await pgbouncer({ pool_mode: 'session', default_pool_size: size })
  const folder = await mkdtemp(join(tmpdir(), 'railyard-few-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const env = { DATABASE_URL: url, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'error' }
  return launch(['src/main.js', 'start'], env, /Railyard is ready/)
}

withPgbouncer(
  'a start that default_pool_size keeps from its connections ends with one line that says so',
  async () => {
    const started = await launchStart('2')
    const { code, output } = await started.ended
    expect({ code, output: output.trim() }).toEqual({ code: 1, output: expect.stringMatching(TOO_FEW) })
  },
  IN_TIME_MS,
)

withPgbouncer.each(['3', '4', '6'])(
  'a process that default_pool_size %s leaves few connections says so, or starts and ends when it is stopped',
  async (size) => {
    const started = await launchStart(size)
    // how many a start needs at once is a matter of time
    const isReady = await started.printed('Railyard is ready').then(
      () => true,
      () => false,
    )
    if (isReady) await started.stop()
    const { code, output } = await started.ended
    expect({ code, output: output.trim() }).toEqual({
      code: isReady ? 0 : 1,
      output: isReady ? expect.any(String) : expect.stringMatching(TOO_FEW),
    })
  },
  IN_TIME_MS,
)
