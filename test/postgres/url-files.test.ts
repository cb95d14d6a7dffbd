import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { put } from '../../src/database/kept.fixture.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { ownDatabase } from '../support/railyard.ts'

// A process that runs on after an error that is not caught would fail this file, too.

test('while a file of DATABASE_URL cannot be read, no connection is added, and those that there are serve on', async () => {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  onTestFinished(own.drop)
  const folder = mkdtempSync(join(tmpdir(), 'railyard-url-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'ca.crt')
  const writeFile = () => writeFileSync(file, 'a certificate')
  const url = new URL(own.url)
  url.search = new URLSearchParams({ sslmode: 'disable', sslrootcert: file }).toString()
  writeFile()
  const database = await openDatabase(readSettings({ DATABASE_URL: url.href, DATABASE_POOL_SIZE: '4' }))
  onTestFinished(database.close)
  await database.run('create table kept (id int primary key, amount int not null)', [])
  const readTogether = () =>
    Promise.allSettled(Array.from({ length: 8 }, () => database.run('select 1 as one', [])))

  rmSync(file)
  for (const result of await readTogether())
    if (result.status === 'rejected')
      expect(String(result.reason)).toMatch(/Connection terminated: ENOENT.*ca\.crt/)
  const written = await Promise.all(Array.from({ length: 48 }, (_, id) => database.run(put, [id, 1])))
  expect(written).toHaveLength(48)
  const other = new pg.Client({ connectionString: own.url })
  await other.connect()
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'railyard listener'`,
  )
  await other.end()
  await expect.poll(() => database.changes.isReliable).toBe(false)

  writeFile()
  await expect.poll(() => database.changes.isReliable, { timeout: 5_000 }).toBe(true)
  for (const { status } of await readTogether()) expect(status).toBe('fulfilled')
})
