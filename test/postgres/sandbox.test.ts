import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startRailyard } from '../../src/process/railyard.ts'
import { readSettings } from '../../src/settings.ts'
import { launch, launchRailyard } from '../crash/process.ts'
import { ownDatabase } from '../support/railyard.ts'

// Servers as people start them, on one PostgreSQL: the sandbox's providers must have one set of books.

const ENCRYPTION_KEY = Buffer.alloc(32, 1).toString('base64')
let database: { url: string; drop(): Promise<void> }
beforeAll(async () => {
  const own = await ownDatabase()
  if (!own) throw new Error('needs DATABASE_URL')
  database = own
  return () => database.drop()
})

/** A server with a DATA_DIR of its own, as on a machine of its own; a clean clone has no such folder yet. */
function server(more: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-postgres-'))
  const running = launchRailyard({
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.url,
    ENCRYPTION_KEY,
    PORT: '0',
    LOG_LEVEL: 'warn',
    ...more,
  })
  onTestFinished(async () => {
    await running.stop()
    rmSync(folder, { recursive: true })
  })
  return running
}

/** Of this database alone: other tests have theirs on the same server. */
const holders = `select pid from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`

const refusal = `railyard: another process runs the sandbox's providers for this database; run them by themselves with \`npm run railyard -- sandbox --port 8090\` and set SANDBOX_URL=http://127.0.0.1:8090 for each process\n`

test('the first server runs the providers, a second without SANDBOX_URL is refused, and the next one follows a killed first at once', async () => {
  const first = server()
  expect((await first.ready).url).toMatch(/^http:/)
  expect(await server().ended).toEqual({ code: 1, output: refusal })
  first.kill()
  await first.ended
  await server().ready
})

test('servers that are told where the providers are run side by side', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-sandbox-'))
  const providers = launch(
    ['src/main.js', 'sandbox', '--port', '0', '--books', join(folder, 'books.jsonl')],
    {},
    /listening on (http:\S+)/,
  )
  onTestFinished(async () => {
    await providers.stop()
    rmSync(folder, { recursive: true })
  })
  const SANDBOX_URL = (await providers.ready).url
  const [first, second] = [server({ SANDBOX_URL }), server({ SANDBOX_URL })]
  expect((await first.ready).url).not.toBe((await second.ready).url)
})

test('a server whose lock went to another while it was cut off stops its providers: no answer is better than one from other books', async () => {
  const own = await ownDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'railyard-postgres-'))
  const railyard = await startRailyard(
    readSettings({ DATA_DIR: folder, DATABASE_URL: own?.url, PORT: '0', LOG_LEVEL: 'silent' }),
    { inMemory: true },
  )
  const other = new pg.Client({ connectionString: own?.url })
  await other.connect()
  onTestFinished(async () => {
    await other.end()
    await railyard.close()
    await own?.drop()
    rmSync(folder, { recursive: true })
  })
  const takenByOther = async () => {
    await other.query(
      `select pg_terminate_backend(pid) from (${holders}) holder where pid <> pg_backend_pid()`,
    )
    return (
      await other.query("select pg_try_advisory_lock(hashtextextended('railyard sandbox', 0)) as taken")
    ).rows[0].taken
  }
  await expect.poll(takenByOther).toBe(true)
  await expect
    .poll(() => fetch(`${railyard.simulatorUrl}/faults`).catch(() => 'no answer'), { timeout: 6_000 })
    .toBe('no answer')
})

test('a server whose lock was cut off takes it again', async () => {
  await server().ready
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  onTestFinished(() => admin.end())
  const before = await admin.query<{ pid: number }>(holders)
  expect(before.rows).toHaveLength(1)
  await admin.query('select pg_terminate_backend($1::int)', [before.rows[0]?.pid])
  await expect
    .poll(async () => (await admin.query(holders)).rows.map(({ pid }) => pid !== before.rows[0]?.pid), {
      timeout: 5_000,
    })
    .toEqual([true])
  expect(await server().ended).toEqual({ code: 1, output: refusal })
})
