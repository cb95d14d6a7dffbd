import { open } from 'node:fs/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dumpPostgres } from '../../src/database/backup/postgres-tools.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { ownDatabase } from '../support/railyard.ts'

/** The URL of a database of its own. */
async function newDatabase(): Promise<string> {
  const own = await ownDatabase()
  if (!own) throw new Error('these tests need DATABASE_URL')
  onTestFinished(own.drop)
  return own.url
}

test('a command that reads whole tables has no time limit for a statement, and one for a lock', async () => {
  const url = await newDatabase()
  const { run, close } = await openDatabase(readSettings({ DATABASE_URL: url }), { withoutTimeout: true })
  onTestFinished(close)
  const limits = `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`
  expect(await run(limits, [])).toEqual([{ statement: '0', lock: '10min' }])
})

test('a backup that another session keeps waiting for a table ends with a message', async () => {
  const url = await newDatabase()
  const locker = new pg.Client({ connectionString: url })
  await locker.connect()
  onTestFinished(() => locker.end())
  await locker.query('create table payments (id int)')
  await locker.query('begin; lock table payments in access exclusive mode')
  const nowhere = await open('/dev/null', 'w')
  onTestFinished(() => nowhere.close())
  await expect(dumpPostgres(url, nowhere.fd, ['--lock-wait-timeout=100'])).rejects.toThrow(
    'waited too long for a table that another session changes',
  )
})
