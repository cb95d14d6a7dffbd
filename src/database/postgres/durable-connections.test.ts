import { expect, onTestFinished, test } from 'vitest'
import { ownDatabase, startTestRailyard } from '../../../test/support/railyard.ts'
import { readSettings } from '../../settings.ts'
import { UnusableDatabase } from '../database.ts'
import { openDatabase } from '../open-database.ts'

const onPostgres = test.runIf(process.env['DATABASE_URL'])

/** A database whose settings would lose acknowledged commits and change the isolation level. */
async function carelessDatabase(): Promise<string> {
  const own = await ownDatabase()
  if (!own) throw new TypeError('there is no PostgreSQL')
  onTestFinished(own.drop)
  const { run, close } = await openDatabase(readSettings({ DATABASE_URL: own.url, DATABASE_POOL_SIZE: '1' }))
  const name = new URL(own.url).pathname.slice(1)
  await run(`alter database ${name} set synchronous_commit = off`, [])
  await run(`alter database ${name} set default_transaction_isolation = 'serializable'`, []).finally(close)
  return own.url
}

onPostgres(
  'connections wait for the disk and read what is committed, whatever the role or the database is set to',
  async () => {
    const { run, db, close } = await openDatabase(
      readSettings({ DATABASE_URL: await carelessDatabase(), DATABASE_POOL_SIZE: '2' }),
    )
    try {
      const shown = `select current_setting('synchronous_commit') as commit, current_setting('transaction_isolation') as isolation`
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

onPostgres.each([
  ['-c synchronous_commit=off', /have synchronous_commit=off, set by the options of the URL/],
  [
    '-c synchronous_commit=on -c default_transaction_isolation=serializable',
    /have default_transaction_isolation=serializable/,
  ],
])('a URL whose options are %s is refused', async (options, reason) => {
  const url = new URL(await carelessDatabase())
  url.searchParams.set('options', options)
  const opening = openDatabase(readSettings({ DATABASE_URL: url.href }))
  await expect(opening).rejects.toThrow(UnusableDatabase)
  await expect(opening).rejects.toThrow(reason)
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
