import { expect, onTestFinished, test } from 'vitest'
import { UnusableDatabase } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { takeLock } from '../../src/database/postgres/advisory-lock.ts'
import { readSettings } from '../../src/settings.ts'
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
