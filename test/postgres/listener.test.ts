import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { ownDatabase } from '../support/railyard.ts'

test('a process whose database takes no writes for a while keeps one connection open to find out when it does', async () => {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  onTestFinished(own.drop)
  const database = await openDatabase(readSettings({ DATABASE_URL: own.url, DATABASE_POOL_SIZE: '2' }))
  onTestFinished(database.close)
  const watcher = new pg.Client({ connectionString: process.env['DATABASE_URL'] })
  await watcher.connect()
  onTestFinished(() => watcher.end())
  const name = new URL(own.url).pathname.slice(1)
  const listeners = `from pg_stat_activity where datname = '${name}' and application_name = 'railyard listener'`

  await watcher.query(`alter database ${name} set default_transaction_read_only = on`)
  await watcher.query(`select pg_terminate_backend(pid) ${listeners}`)
  await expect.poll(database.isUnavailable, { timeout: 5_000 }).toBe(true)
  await wait(4_000)
  const { rows } = await watcher.query(`select count(*)::int as count ${listeners}`)
  expect(rows[0].count).toBeLessThanOrEqual(1)

  await watcher.query(`alter database ${name} reset default_transaction_read_only`)
  await expect.poll(database.isUnavailable, { timeout: 5_000 }).toBe(false)
})
