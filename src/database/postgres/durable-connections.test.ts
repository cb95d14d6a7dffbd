import { expect, onTestFinished, test } from 'vitest'
import { ownDatabase, startTestRailyard } from '../../../test/support/railyard.ts'
import { readSettings } from '../../settings.ts'
import { UnusableDatabase } from '../database.ts'
import { openDatabase } from '../open-database.ts'

const onPostgres = test.runIf(process.env['DATABASE_URL'])

/** A database of its own with these settings. */
async function databaseWith(...settings: string[]): Promise<string> {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  onTestFinished(own.drop)
  const { run, close } = await openDatabase(readSettings({ DATABASE_URL: own.url, DATABASE_POOL_SIZE: '1' }))
  const name = new URL(own.url).pathname.slice(1)
  for (const setting of settings) await run(`alter database ${name} set ${setting}`, [])
  await close()
  return own.url
}

/** It would lose acknowledged commits and change the isolation level. */
const carelessDatabase = () =>
  databaseWith('synchronous_commit = off', "default_transaction_isolation = 'serializable'")

const shown = `select current_setting('synchronous_commit') as commit, current_setting('transaction_isolation') as isolation`

onPostgres(
  'connections wait for the disk and read what is committed, whatever the role or the database is set to',
  async () => {
    const { run, db, close } = await openDatabase(
      readSettings({ DATABASE_URL: await carelessDatabase(), DATABASE_POOL_SIZE: '2' }),
    )
    try {
      expect(await run(shown, [])).toEqual([{ commit: 'on', isolation: 'read committed' }])
      await db.transaction().execute(async (transaction) => {
        expect(transaction.isTransaction).toBe(true)
        expect(await run(shown, [])).toEqual([{ commit: 'on', isolation: 'read committed' }])
      })
    } finally {
      await close()
    }
  },
)

onPostgres('options of the URL change neither of them', async () => {
  const url = new URL(await carelessDatabase())
  url.searchParams.set('options', '-c synchronous_commit=off -c default_transaction_isolation=serializable')
  const { run, close } = await openDatabase(readSettings({ DATABASE_URL: url.href }))
  onTestFinished(close)
  expect(await run(shown, [])).toEqual([{ commit: 'on', isolation: 'read committed' }])
})

onPostgres('a database that is read-only by default is refused, with the way to reset it', async () => {
  const url = await databaseWith('default_transaction_read_only = on')
  const opening = openDatabase(readSettings({ DATABASE_URL: url }))
  await expect(opening).rejects.toThrow(UnusableDatabase)
  await expect(opening).rejects.toThrow(/default_transaction_read_only is on: .*alter role … reset/)
})

test('the embedded database waits for the disk, too', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  const [row] = await railyard.world.run(
    `select current_setting('synchronous_commit') as commit, current_setting('transaction_isolation') as isolation`,
    [],
  )
  expect(row).toEqual({ commit: 'on', isolation: 'read committed' })
})
