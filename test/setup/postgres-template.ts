// the template has the functions, too
import '../../src/cli/support/database-functions.ts'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'

/**
 * Once for a run of the tests on a PostgreSQL: a database with the schema in it, which test instances begin
 * as a copy of. The migrations took each of them longer than the rest of its start. `ownDatabase` without a
 * template is still empty, for tests of first starts.
 */
export default async function makeTemplate(): Promise<(() => Promise<void>) | undefined> {
  const server = process.env['DATABASE_URL']
  if (!server) return undefined
  const name = `railyard_template_${randomUUID().replaceAll('-', '')}`
  const run = async (sql: string) => {
    const admin = new pg.Client({ connectionString: server })
    await admin.connect()
    await admin.query(sql).finally(() => admin.end())
  }
  await run(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const database = await openDatabase(readSettings({ DATABASE_URL: url.href }))
  await migrate(database).finally(database.close)
  process.env['TEST_DATABASE_TEMPLATE'] = name
  return () => run(`drop database ${name} with (force)`)
}
