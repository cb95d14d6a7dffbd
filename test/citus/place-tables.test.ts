import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { migrate, migrationFolder, statementsOf } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { createDatabase, joinNodes } from '../support/cluster.ts'
import { expectBooksMatch } from '../support/provider.ts'
import { ownDatabase, startTestRailyard } from '../support/railyard.ts'
import { openShop } from '../support/shop.ts'
import { startRailyardForFile } from '../support/start-railyard.ts'

const railyard = await startRailyardForFile()

/** A database that knows its nodes, without a schema. */
async function openEmptyCluster(): Promise<Database> {
  const own = await ownDatabase()
  const database = await openDatabase(readSettings({ DATABASE_URL: own?.url ?? '' }))
  onTestFinished(async () => {
    await database.close()
    await own?.drop()
  })
  return database
}

const unplaced = async ({ run }: Pick<Database, 'run'>): Promise<string[]> => {
  const rows = await run<{ name: string }>(
    `select c.relname as name
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'merchant_account_id' and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace
        and c.relkind = 'r'
        and not exists (select from pg_dist_partition p
                         where p.logicalrelid = c.oid
                           and (p.repmodel = 't'
                                or p.colocationid = (select colocationid from pg_dist_partition
                                                      where logicalrelid = 'transactions'::regclass)))
      order by 1`,
    [],
  )
  return rows.map(({ name }) => name)
}

test('every table with an account is beside the payments of the account, or on every node', async () => {
  expect(await unplaced(railyard.world)).toEqual(['vault_passes', 'webhook_deliveries'])
})

test('the statements of a migration change tables that are on the nodes already', async () => {
  const database = await openEmptyCluster()
  await migrate(database)
  const file = new URL('214-list-indexes-without-ids.sql', migrationFolder)
  const statements = statementsOf(await readFile(file, 'utf8'))
  await database.db.transaction().execute(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx)
  })
  const indexes = await database.run(
    `select result from run_command_on_shards('transactions',
       $$select count(*) from pg_indexes where tablename = '%s' and indexname like 'transactions_by_update%%'$$)`,
    [],
  )
  expect([...new Set(indexes.map(({ result }) => result))]).toEqual(['1'])
})

test('payments go on in a database that was one server’s', async () => {
  const own = await createDatabase('railyard_test', undefined, { joins: false })
  if (!own) throw new Error('there is no server')
  const env = { DATABASE_URL: own.url, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }
  const former = await startTestRailyard(env)
  const formerShop = await openShop(former)
  const { id: paidBefore } = await formerShop.sold(10_00)
  await former.close()
  await joinNodes(own)
  const now = await startTestRailyard(env)
  onTestFinished(() => now.close().then(own.drop))
  const shop = await openShop(now)
  const payment = await shop.sold(20_00)
  expect(await payment.refund({ amount: 5_00 })).toMatchObject({ status: 201, body: { status: 'succeeded' } })
  await expectBooksMatch(now, shop.account)
  const header = { 'x-svc-merchant-account-id': formerShop.account }
  const { items } = (await now.admin.get('/transactions', header)).body
  expect(items.map(({ id }: { id: string }) => id)).toContain(paidBefore)
  // otherwise the coordinator runs each step of a payment
  const functions = await now.world.run<{ name: string }>(
    `select proname as name
       from pg_proc p
      where pronamespace = current_schema()::regnamespace
        and proname ~ '_[0-9a-f]{12}$'
        and not exists (select from pg_dist_object o where o.objid = p.oid and o.distribution_argument_index = 0)`,
    [],
  )
  expect(functions).toEqual([])
})

test('a start that fails while it places tables has placed none, and the next one places them all', async () => {
  const database = await openEmptyCluster()
  await sql`create table refused (merchant_account_id text, id int, exclude using btree (id with =))`.execute(
    database.db,
  )
  await expect(migrate(database)).rejects.toThrow('cannot create constraint')
  expect(await unplaced(database)).toContain('transactions')
  await sql`drop table refused`.execute(database.db)
  await migrate(database)
  expect(await unplaced(database)).toEqual(['vault_passes', 'webhook_deliveries'])
})

test('a coordinator that is not among its own nodes is refused, with the statement that adds it', async () => {
  const database = await openEmptyCluster()
  await database.run('select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid = 0', [])
  await expect(migrate(database)).rejects.toThrow('citus_set_coordinator_host')
})

test('changes of configuration are announced on the coordinator, once they are committed', async () => {
  const { id } = (await railyard.admin.post('/merchant-accounts', { id: 'announced', display_name: 'Old' }))
    .body
  expect((await railyard.admin.get(`/merchant-accounts/${id}`)).body.display_name).toBe('Old')
  await railyard.world.run(`update merchant_accounts set display_name = 'New' where id = $1`, [id])
  await expect
    .poll(async () => (await railyard.admin.get(`/merchant-accounts/${id}`)).body.display_name)
    .toBe('New')
})
