import { hash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { PGlite } from '@electric-sql/pglite'

// The rows of all tables of a database in memory, for a copy of it.

/** The rows of a table in the binary format of COPY. */
type TableRows = [table: string, rows: ArrayBuffer]

/**
 * The tables that have, or had, rows. Migrations are the schema's, and `service_processes` is about the
 * processes of one database.
 */
const TABLES_WITH_ROWS = `
select format('%I', relname) as name
  from pg_class
 where relnamespace = 'public'::regnamespace and relkind = 'r'
   and relname not like 'kysely%' and relname <> 'service_processes'
   and pg_relation_size(oid) > 0`

async function tablesWithRows(database: PGlite): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(TABLES_WITH_ROWS)
  return rows.map(({ name }) => name)
}

/** The rows of all tables, for `replaceRows` of another database. */
export async function readRows(database: PGlite): Promise<Uint8Array<ArrayBuffer>> {
  const tables: TableRows[] = []
  for (const name of await tablesWithRows(database)) {
    const { blob } = await database.query(`copy ${name} to '/dev/blob' with (format binary)`)
    if (blob) tables.push([name, await blob.arrayBuffer()])
  }
  return new Uint8Array(serialize(tables))
}

/** It grows with each transaction that writes. */
async function nextTransactionId(database: PGlite): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text as id',
  )
  return rows[0]?.id ?? ''
}

/** What a replacement left: a hash of each table's rows, and the next transaction id at its end. */
export interface Replacement {
  hashes: ReadonlyMap<string, string>
  nextId: string
}

/**
 * Replaces the rows of all tables by those that `readRows` of another database answered. Without triggers, since the
 * rows are as those of the other database left them. A table whose rows are those of the last replacement stays as it
 * is, unless something was written here since: most tables do not change between two.
 */
export async function replaceRows(
  database: PGlite,
  rows: Uint8Array,
  last: Replacement | undefined,
): Promise<Replacement> {
  const tables: TableRows[] = deserialize(rows)
  const hashes = new Map(tables.map(([name, content]) => [name, hash('sha1', new Uint8Array(content))]))
  const kept = last && last.nextId === (await nextTransactionId(database)) ? last.hashes : undefined
  const isKept = (name: string) => kept?.has(name) === true && kept.get(name) === hashes.get(name)
  await database.exec('begin; set local session_replication_role = replica')
  for (const name of await tablesWithRows(database))
    if (!isKept(name)) await database.exec(`delete from ${name}`)
  for (const [name, content] of tables)
    if (!isKept(name))
      await database.query(`copy ${name} from '/dev/blob' with (format binary)`, [], {
        blob: new Blob([content]),
      })
  await database.exec('commit')
  return { hashes, nextId: await nextTransactionId(database) }
}
