import { open } from 'node:fs/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dumpPostgres } from '../../src/database/backup/postgres-tools.ts'
import { openEmpty } from '../../src/database/empty.fixture.ts'
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
