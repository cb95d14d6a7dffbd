import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { readableRow } from '../support/unpacked.ts'

/** A place that may contain a secret. */
export interface Place {
  name: string
  bytes: Buffer
}

/** Every file below a folder. */
export function filesOf(
  name: string,
  folder: string,
  leftOut: (path: string) => boolean = () => false,
): Place[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => !leftOut(path) && statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ name: `${name}: ${path.slice(folder.length + 1)}`, bytes: readFileSync(path) }))
}

/** Arguments and environment of every process of this machine, as every user with the right to read them sees them. */
export function processes(): Place[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .flatMap((pid) =>
      ['cmdline', 'environ'].map((file) => ({
        name: `process ${pid}: ${file}`,
        bytes: readQuietly(`/proc/${pid}/${file}`),
      })),
    )
    .filter(({ bytes }) => bytes.length > 0)
}

/** The process may have ended, or belong to another user. */
function readQuietly(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Every row as PostgreSQL tells it: what it compresses or keeps aside is plain here. */
export async function rowsOf(databaseUrl: string): Promise<Place[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
        where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    )
    const places: Place[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `select row_to_json(t)::text as row from ${name} t`,
      )
      places.push({
        name: `rows of ${name}`,
        bytes: Buffer.from(rows.map(({ row }) => readableRow(row)).join('\n')),
      })
    }
    return places
  } finally {
    await client.end()
  }
}

/** Where the server keeps its files, its log beside them; needs its superuser, who owns the test's server. */
export async function serverFolder(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // what was written reaches the files now, not sometime
    await client.query('checkpoint')
    const { rows } = await client.query<{ data_directory: string }>('show data_directory')
    return join(rows[0]?.data_directory ?? '', '..')
  } finally {
    await client.end()
  }
}
