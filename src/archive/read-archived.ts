import { type Kysely, type RawBuilder, sql } from 'kysely'
import { noReplicas } from '../database/replicas/read-replicas.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import { withRecordedFile } from './archive-folder.ts'
import {
  type ArchivedColumn,
  type ArchivedTable,
  archivedColumns,
  archivedTables,
  type ColumnType,
  erasedColumns,
} from './archived-columns.ts'
import { type ArchivedFile, readFiles } from './archived-file.store.ts'
import { readParquet, timeOfMicros } from './parquet-file.ts'

/** Where the rows of payments are read: tables, or tables with what retired payments left in files. */
export type PaymentSources = Record<ArchivedTable, RawBuilder<unknown>>

const liveSources: PaymentSources = {
  transactions: sql`transactions`,
  operations: sql`operations`,
  settlements: sql`settlements`,
}

/** A time span with both ends in it; null is open. */
interface TimeSpan {
  from: string | null
  to: string | null
}

/** Which payments are read: those of an account that have a time in each of the spans. */
interface PaymentsToRead {
  account: string
  spans: readonly TimeSpan[]
  /** The tables that are read; files of others are left out. */
  tables: readonly ArchivedTable[]
}

/**
 * Runs `work` with the sources of an account's payments, retired ones among them, and with a world that reads
 * from them. Files are read only where the spans need them: their rows of the account are then in temporary
 * tables of one session of the primary, so that the same statement reads both. Throws `ArchiveProblem` if a file
 * is missing or was changed.
 */
export async function withArchivedPayments<T>(
  world: World,
  payments: PaymentsToRead,
  work: (world: World, sources: PaymentSources) => Promise<T>,
): Promise<T> {
  const needed = filesFor(await readFiles(world.run), payments)
  if (needed.length === 0) return work(world, liveSources)
  const onSession = async (db: Kysely<Tables>) => {
    const tables = new TemporaryTables(db)
    try {
      await tables.create()
      for (const file of needed) await tables.load(world.settings.archiveDir, file, payments.account)
      await tables.analyze()
      return await work({ ...world, db, replicas: noReplicas }, tables.sources())
    } finally {
      await tables.drop()
    }
  }
  // the embedded database has one session, and everything else waits while it is held
  return world.settings.databaseUrl === undefined
    ? onSession(world.db)
    : world.db.connection().execute(onSession)
}

/** The files of the retirements with payments that may have a time in each of the spans. */
function filesFor(recorded: readonly ArchivedFile[], { spans, tables }: PaymentsToRead): ArchivedFile[] {
  const byRetirement = Map.groupBy(recorded, ({ retirement }) => retirement)
  return [...byRetirement.values()]
    .filter((files) => spans.every((span) => overlaps(files, span)))
    .flat()
    .filter(({ kind }) => tables.includes(kind))
}

function overlaps(files: readonly ArchivedFile[], { from, to }: TimeSpan): boolean {
  const timesOf = (name: 'earliest' | 'latest') =>
    files.flatMap((file) => (file[name] === null ? [] : [Date.parse(file[name])]))
  // a millisecond more, since the database's times have microseconds
  return (
    (from === null || Math.max(...timesOf('latest')) + 1 >= Date.parse(from)) &&
    (to === null || Math.min(...timesOf('earliest')) - 1 <= Date.parse(to))
  )
}

const sqlTypes: Record<ColumnType, string> = {
  UUID: 'uuid',
  STRING: 'text',
  INT64: 'bigint',
  DOUBLE: 'double precision',
  BOOLEAN: 'boolean',
  TIMESTAMP: 'timestamptz',
}

/** The columns of a table that its file has, by their names in the table. */
const rootsOf = (table: ArchivedTable) => Map.groupBy(archivedColumns[table], ({ path: [root] }) => root)

const typeOf = (columns: readonly ArchivedColumn[]) => {
  const [first] = columns
  return first && first.path.length === 1 ? sqlTypes[first.type] : 'jsonb'
}

/** The value of a table's column as SQL over a row `a` with the columns of the file. */
const rebuiltSql = (root: string, columns: readonly ArchivedColumn[]) =>
  root === 'gift_cards'
    ? `jsonb_build_object('redemptions', jsonb_build_array(jsonb_build_object('status', 'succeeded', 'amount', a.gift_card_redemptions_amount, 'refunded', a.gift_card_redemption_refunds_amount)))`
    : nestedSql(columns.map(({ name, path }) => ({ name, path: path.slice(1) })))

function nestedSql(columns: readonly { name: string; path: readonly string[] }[]): string {
  const [first] = columns
  if (first && first.path.length === 0) return `a.${first.name}`
  const members = [...Map.groupBy(columns, ({ path }) => path[0] ?? '')].map(
    ([member, inside]) =>
      `'${member}', ${nestedSql(inside.map(({ name, path }) => ({ name, path: path.slice(1) })))}`,
  )
  return `jsonb_build_object(${members.join(', ')})`
}

/** The indexes that reports need, as the tables have them. */
const indexes = {
  transactions: ['id', 'created_at, id'],
  operations: ['id', 'transaction_id, id'],
  settlements: ['transaction_id', 'ingested_at, id'],
} as const satisfies Record<ArchivedTable, readonly string[]>

const BATCH_ROWS = 1_000
let made = 0

/** Temporary tables with the rows of retired payments, in the shape of the tables that they were in. */
class TemporaryTables {
  readonly #db: Kysely<Tables>
  /** The embedded database's session has those of other reports. */
  readonly #suffix = `${process.pid}_${++made}`

  constructor(db: Kysely<Tables>) {
    this.#db = db
  }

  #name(table: ArchivedTable): string {
    return `pg_temp.archived_${table}_${this.#suffix}`
  }

  async #run(text: string): Promise<void> {
    await sql.raw(text).execute(this.#db)
  }

  /** With their indexes: one over all rows at the end would be a long write, which holds back the event log. */
  async create(): Promise<void> {
    for (const table of archivedTables) {
      const columns = [...rootsOf(table)].map(([root, parts]) => `${root} ${typeOf(parts)}`)
      const name = this.#name(table)
      await this.#run(`create temporary table ${name.replace('pg_temp.', '')} (${columns.join(', ')})`)
      for (const keys of indexes[table])
        await this.#run(`create index on ${name} (merchant_account_id, ${keys})`)
    }
  }

  async load(folder: string | undefined, file: ArchivedFile, account: string): Promise<void> {
    const roots = [...rootsOf(file.kind)]
    const columns = archivedColumns[file.kind]
    const insert = sql.raw(
      `insert into ${this.#name(file.kind)} (${roots.map(([root]) => root).join(', ')})
       select ${roots.map(([root, parts]) => rebuiltSql(root, parts)).join(', ')}`,
    )
    const shape = sql.raw(`a(${columns.map(({ name, type }) => `${name} ${sqlTypes[type]}`).join(', ')})`)
    await withRecordedFile(folder, file, async (handle) => {
      for await (const rows of readParquet(handle, file.bytes, account))
        for (let at = 0; at < rows.length; at += BATCH_ROWS) {
          const json = JSON.stringify(
            rows.slice(at, at + BATCH_ROWS).map((row) => ({
              ...row,
              ...Object.fromEntries(
                columns.flatMap(({ name, type }) => {
                  const value = row[name]
                  if (typeof value !== 'bigint') return []
                  return [[name, type === 'TIMESTAMP' ? timeOfMicros(value) : String(value)]]
                }),
              ),
            })),
          )
          await sql`${insert} from json_to_recordset(${json}::json) as ${shape}`.execute(this.#db)
        }
    })
  }

  /** Call it once everything is loaded: nothing else gathers statistics of temporary tables. */
  async analyze(): Promise<void> {
    for (const table of archivedTables) await this.#run(`analyze ${this.#name(table)}`)
  }

  /** Both rows of the table and those of the files. PostgreSQL plans the parts as it plans partitions. */
  sources(): PaymentSources {
    const both = (table: ArchivedTable) => {
      const roots = [...rootsOf(table).keys()]
      const erased = table === 'transactions' ? erasedColumns : []
      return sql.raw(`(
        select ${[...roots, ...erased].join(', ')} from ${table}
        union all
        select ${[...roots, ...erased.map((name) => `null::jsonb as ${name}`)].join(', ')} from ${this.#name(table)})`)
    }
    return {
      transactions: both('transactions'),
      operations: both('operations'),
      settlements: both('settlements'),
    }
  }

  /** A session that is gone has no tables any more. */
  async drop(): Promise<void> {
    const names = archivedTables.map((table) => this.#name(table))
    await this.#run(`drop table if exists ${names.join(', ')}`).catch(() => undefined)
  }
}
