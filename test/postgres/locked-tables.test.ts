import { open, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dumpPostgres } from '../../src/database/backup/postgres-tools.ts'
import type { Database } from '../../src/database/database.ts'
import { openEmpty } from '../../src/database/empty.fixture.ts'
import { migrate, migrationFiles, migrationFolder } from '../../src/database/migrate.ts'
import { ownDatabase } from '../support/railyard.ts'

test('a command that reads whole tables has no time limit for a statement, and one for a lock', async () => {
  const { run } = await openEmpty({ withoutTimeout: true })
  const limits = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`
  expect(await run(limits, [])).toEqual([{ statement: '0', lock: '10min' }])
})

test('a backup that another session keeps waiting for a table ends with a message', async () => {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  onTestFinished(own.drop)
  const locker = new pg.Client({ connectionString: own.url })
  await locker.connect()
  onTestFinished(() => locker.end())
  await locker.query('create table payments (id int)')
  await locker.query('begin; lock table payments in access exclusive mode')
  const nowhere = await open('/dev/null', 'w')
  onTestFinished(() => nowhere.close())
  await expect(dumpPostgres(own.url, nowhere.fd, ['--lock-wait-timeout=100'])).rejects.toThrow(
    'waited too long for a table that another session changes',
  )
})

/** Drops an index of `transactions` first, which no other session may use. */
const MIGRATION = '214-list-indexes-without-ids.sql'

async function migrateBefore({ db }: Database, migration: string): Promise<void> {
  await sql`create table kysely_migration (name text primary key, timestamp text not null)`.execute(db)
  for (const file of (await migrationFiles()).filter((each) => each < migration)) {
    await sql.raw(await readFile(new URL(file, migrationFolder), 'utf8')).execute(db)
    await sql`insert into kysely_migration values (${file.replace('.sql', '')}, now()::text)`.execute(db)
  }
}

test('migrate lets payments pass while a backup keeps it from a table, names the backup, and goes on after it', async () => {
  const database = await openEmpty()
  await migrateBefore(database, MIGRATION)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(database.db)
  const url = Object.assign(new URL(process.env['DATABASE_URL'] ?? ''), { pathname: rows[0]?.name }).href
  const [backup, payment] = [
    new pg.Client({ connectionString: url, application_name: 'a backup' }),
    new pg.Client({ connectionString: url, lock_timeout: 20_000 }),
  ]
  for (const client of [backup, payment]) {
    await client.connect()
    onTestFinished(() => client.end())
  }
  await backup.query('begin; lock table transactions in access share mode')
  const { promise: told, resolve: tell } = Promise.withResolvers<string>()
  const migrated = migrate(database, tell)
  const waiting = `select from pg_locks where not granted and relation = 'transactions'::regclass and database = (select oid from pg_database where datname = current_database())`
  await expect.poll(async () => (await payment.query(waiting)).rowCount, { timeout: 10_000 }).toBe(1)
  await payment.query('select from transactions')
  expect(await told).toMatch(/: pid \d+ \(a backup, \w+, since [^;]*\)$/)
  await backup.query('commit')
  expect(await migrated).toContain('214-list-indexes-without-ids')
})
