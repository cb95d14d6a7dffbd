// the template has the functions, too
import '../../src/cli/support/database-functions.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { type ClusterDatabase, createDatabase, isOnCitus, makeTemplate } from '../support/cluster.ts'

/**
 * Once for a run of the tests on a PostgreSQL: a database with the schema in it, which test instances begin
 * as a copy of. The migrations took each of them longer than the rest of its start. `ownDatabase` without a
 * template is still empty, for tests of first starts; on Citus it is a copy, too, of a database with the nodes.
 */
export default async function makeTemplates(): Promise<(() => Promise<void>) | undefined> {
  const template = await createDatabase('railyard_template')
  if (!template) return undefined
  const database = await openDatabase(readSettings({ DATABASE_URL: template.url }))
  await migrate(database).finally(database.close)
  await makeTemplate(template.name)
  process.env['TEST_DATABASE_TEMPLATE'] = template.name
  const empty = isOnCitus() ? await emptyTemplate() : undefined
  return async () => {
    await template.drop()
    await empty?.drop()
  }
}

async function emptyTemplate(): Promise<ClusterDatabase | undefined> {
  const empty = await createDatabase('railyard_empty')
  if (!empty) return undefined
  await makeTemplate(empty.name)
  process.env['TEST_EMPTY_TEMPLATE'] = empty.name
  return empty
}
