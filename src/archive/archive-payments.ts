import { randomBytes } from 'node:crypto'
import files from 'node:fs/promises'
import { type Kysely, sql } from 'kysely'
import { timeOfId } from '../database/partitions/partitioned-tables.ts'
import { statementsOn } from '../database/statements.ts'
import type { Tables } from '../database/tables.ts'
import { withoutTimeout } from '../database/without-timeout.ts'
import {
  ArchiveProblem,
  createFile,
  digestOf,
  makeFolder,
  type Owner,
  onFolder,
  pathIn,
  syncFolder,
  withRecordedFile,
} from './archive-folder.ts'
import {
  type ArchivedColumn,
  type ArchivedTable,
  archivedColumns,
  archivedTables,
} from './archived-columns.ts'
import { type ArchivedFile, readFiles, recordFiles } from './archived-file.store.ts'
import { type ArchivedRow, GROUP_ROWS, readParquet, writeParquet } from './parquet-file.ts'
import { type AmountSum, RowsSummary } from './rows-summary.ts'

/** The payments of a retirement: those with ids below `below` that were not retired before. */
export interface PaymentsToArchive {
  /** The number of the retirement. */
  number: number
  below: string
  /** What the files must have, counted by the database. */
  expected: {
    rows: Readonly<Record<string, number>>
    amounts: readonly AmountSum[]
  }
}

/**
 * Writes the payments of a retirement to files in the folder, reads the files again and compares them with what
 * the database has, and records them. Each attempt's files have names of their own. Answers the names; the caller
 * removes these files if the payments are not retired after all (`removeFiles`). Throws `ArchiveProblem` if the
 * folder cannot be written, or a file does not have what was written.
 */
export async function archivePayments(
  db: Kysely<Tables>,
  folder: string | undefined,
  payments: PaymentsToArchive,
): Promise<string[]> {
  const earlier = await readFiles(statementsOn(db))
  if (folder === undefined) {
    if (earlier.length === 0) return []
    throw new ArchiveProblem('ARCHIVE_DIR is not set, and earlier payments were archived')
  }
  return onFolder(folder, async () => {
    // a folder with files that is gone is not mounted: one in its place would hide that
    if (earlier.length === 0) await makeFolder(folder)
    await requireEarlier(folder, earlier)
    const owner = await ownerOf(folder, earlier)
    const tag = await readTag(db)
    await removePartial(folder, payments.number, tag)
    const attempt = `${tag}-${randomBytes(4).toString('hex')}`
    const planned = archivedTables.map((table) => ({ table, name: nameOf(table, payments, attempt) }))
    const names = planned.map(({ name }) => name)
    try {
      const written: ArchivedFile[] = []
      for (const { table, name } of planned)
        written.push(await writeTable(db, folder, table, payments, { name, owner }))
      await recordFiles(db, payments.number, written)
    } catch (error) {
      await removeFiles(folder, names)
      throw error
    }
    return names
  })
}

/** Removes files of this attempt whose payments stay. One that cannot be removed stays, without a record. */
export async function removeFiles(folder: string | undefined, names: readonly string[]): Promise<void> {
  if (folder === undefined) return
  for (const name of names) {
    const path = pathIn(folder, name)
    for (const each of [path, `${path}.part`]) await files.rm(each, { force: true }).catch(() => undefined)
  }
}

/**
 * A folder without the earlier files is another one: its disk may not be mounted. One that has changed a file may
 * change the next one, too, and the earlier payments have to be brought back first.
 */
async function requireEarlier(folder: string, earlier: readonly ArchivedFile[]): Promise<void> {
  for (const file of earlier) await withRecordedFile(folder, file, async () => undefined)
}

/**
 * Who must be able to read new files: the owner of the newest one, or of the folder. Null: the folder is root's, as
 * a mounted one may be for a service that is another user.
 */
async function ownerOf(folder: string, earlier: readonly ArchivedFile[]): Promise<Owner | null> {
  const newest = earlier.at(-1)
  const owner = await files.stat(newest ? pathIn(folder, newest.name) : folder)
  return newest || owner.uid !== 0 ? owner : null
}

/**
 * A few letters that no other instance has, apart from restored copies: those of the moment at which the instance
 * was made. Two instances that share a folder do not remove each other's partial files.
 */
async function readTag(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ tag: string }>`
    select left(md5(extract(epoch from min(created_at))::text), 8) as tag from merchant_accounts`.execute(db)
  return rows[0]?.tag ?? ''
}

const retirementPart = (number: number) => String(number).padStart(4, '0')

/** `transactions-0001-until-2024-02-01-3f2a9c1e-9b1c7d20.parquet`. */
const nameOf = (table: ArchivedTable, { number, below }: PaymentsToArchive, attempt: string) =>
  `${table}-${retirementPart(number)}-until-${timeOfId(below).slice(0, 10)}-${attempt}.parquet`

/**
 * Removes partial files of an attempt at the same retirement that a crash has ended. A file that is complete stays: a
 * restored copy of the instance has the same tag, and must not remove what the original has recorded meanwhile.
 */
async function removePartial(folder: string, number: number, tag: string): Promise<void> {
  const ofRetirement = new RegExp(
    `^[a-z]+-${retirementPart(number)}-until-[0-9-]+-${tag}-[0-9a-f]+\\.parquet\\.part$`,
  )
  for (const name of await files.readdir(folder))
    if (ofRetirement.test(name)) await files.rm(`${folder}/${name}`)
}

/** Writes, checks and describes the file of one table. The file has its name once it is complete and on the disk. */
async function writeTable(
  db: Kysely<Tables>,
  folder: string,
  table: ArchivedTable,
  payments: PaymentsToArchive,
  { name, owner }: { name: string; owner: Owner | null },
): Promise<ArchivedFile> {
  const columns = archivedColumns[table]
  const path = pathIn(folder, name)
  const read = new RowsSummary(columns)
  const partial = await createFile(`${path}.part`, owner)
  await writeParquet(partial, columns, read.over(readRows(db, table, payments.below)))
  await files.rename(`${path}.part`, path)
  await syncFolder(folder)
  const written = new RowsSummary(columns)
  const handle = await files.open(path, 'r')
  try {
    const digest = await digestOf(handle)
    try {
      for await (const rows of readParquet(handle, digest.bytes)) written.add(rows)
    } catch (error) {
      throw new ArchiveProblem(`${path} cannot be read: ${error}`, { cause: error })
    }
    const expected = {
      rows: payments.expected.rows[table],
      amounts: table === 'transactions' ? payments.expected.amounts : [],
    }
    if (written.hash() !== read.hash() || !written.agreesWith(expected))
      throw new ArchiveProblem(`${path} does not have the rows of the database`)
    return {
      retirement: payments.number,
      kind: table,
      name,
      rows: written.rows,
      ...digest,
      ...written.span(),
    }
  } finally {
    await handle.close()
  }
}

const NO_ID = '00000000-0000-0000-0000-000000000000'

/**
 * The rows of a table, in the order of its index: those of an account, and of a payment, are together. Between two
 * batches the connection is free: the embedded database has no other one for payments.
 */
async function* readRows(
  db: Kysely<Tables>,
  table: ArchivedTable,
  below: string,
): AsyncGenerator<ArchivedRow[]> {
  const columns = archivedColumns[table]
  const [key, ...others] = table === 'transactions' ? ['id'] : ['transaction_id', 'id']
  const ids = [key, ...others]
  const order = sql.raw(['merchant_account_id', ...ids].map((name) => `t.${name}`).join(', '))
  const batchAfter = (account: string, after: readonly string[]) => sql<
    Record<string, string | number | boolean | null>
  >`
     select ${sql.raw(columns.map((column) => `${valueSql(column)} as ${column.name}`).join(', '))}
       from ${sql.table(table)} t
      where ${sql.ref(`t.${key}`)} < ${below}::uuid
        and (${order}) > (${account}, ${sql.join(after.map((id) => sql`${id}::uuid`))})
      order by ${order}
      limit ${sql.lit(GROUP_ROWS)}`
  const wholeColumns = columns.filter(isWhole)
  let batch = batchAfter(
    '',
    ids.map(() => NO_ID),
  )
  for (;;) {
    const { rows } = await withoutTimeout(db, (tx) => batch.execute(tx))
    if (rows.length > 0)
      yield rows.map((row): ArchivedRow => {
        const whole: ArchivedRow = { ...row }
        for (const { name } of wholeColumns) whole[name] = row[name] == null ? null : BigInt(row[name])
        return whole
      })
    const last = rows.at(-1)
    if (!last || rows.length < GROUP_ROWS) return
    batch = batchAfter(
      String(last['merchant_account_id']),
      ids.map((name) => String(last[name])),
    )
  }
}

const isWhole = ({ type }: ArchivedColumn): boolean => type === 'INT64' || type === 'TIMESTAMP'

/**
 * The value of a column as SQL over a row `t`. Whole numbers are text: a number of JavaScript would round them beyond
 * 2^53, such as the microseconds of a time after the year 2255.
 */
function valueSql(column: ArchivedColumn): string {
  const {
    type,
    path: [root, ...inside],
    select,
  } = column
  if (select !== undefined) return `${select}::text`
  if (inside.length > 0) return `t.${root}#>>'{${inside.join(',')}}'`
  if (type === 'TIMESTAMP') return `(extract(epoch from t.${root}) * 1000000)::bigint::text`
  return isWhole(column) ? `t.${root}::text` : `t.${root}`
}
