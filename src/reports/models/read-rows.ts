import { type Kysely, type RawBuilder, sql } from 'kysely'
import { readFromReplica } from '../../database/replicas/read-from-replica.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { Cell } from './model.ts'

/** Rows of a report that are in memory. */
export const BATCH_ROWS = 500

/**
 * Longer than the 30 s of a payment's statement: one statement reads a whole account if no row matches the
 * filter.
 */
const STATEMENT_TIMEOUT_MS = 300_000
/** A replica that answers nothing for longer is given up, and the primary is asked. */
const ANSWER_WITHIN_MS = STATEMENT_TIMEOUT_MS + 10_000

type Row = Record<string, Cell>

/**
 * Runs queries with the longer timeout. They must not write: a long transaction that writes would hold back
 * the event log's horizon.
 */
function withLongTimeout<T>(world: ReadWorld, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  return readFromReplica(
    world,
    ({ db }) =>
      db.transaction().execute(async (transaction) => {
        await sql`set local statement_timeout = ${sql.lit(STATEMENT_TIMEOUT_MS)}`.execute(transaction)
        return work(transaction)
      }),
    { answerWithin: ANSWER_WITHIN_MS },
  )
}

type ReadWorld = Pick<World, 'db' | 'replicas'>

export const readRows = <T>(world: ReadWorld, query: RawBuilder<T>): Promise<T[]> =>
  withLongTimeout(world, async (db) => (await query.execute(db)).rows)

/** SQL expressions as the columns of a batch, in their order. */
export const columnList = (expressions: readonly string[]) =>
  sql.raw(expressions.map((expression, index) => `${expression} as c${index}`).join(', '))

const cellsOf = (row: Row, columns: number): Cell[] =>
  Array.from({ length: columns }, (_, index) => row[`c${index}`] ?? null)

/**
 * A query whose rows are read in batches, in the order of columns that never change, so that no row is read
 * twice or left out.
 */
export interface BatchQuery {
  columns: readonly string[]
  from: RawBuilder<unknown>
  where: readonly RawBuilder<unknown>[]
  /** The columns of the order, the last of them unique. */
  orderColumns: readonly { expression: string; type: 'timestamptz' | 'uuid' }[]
  order?: 'asc' | 'desc'
}

/** Reads the rows of a query, a batch in each statement. A row is as it was when its batch was read. */
export async function* readInBatches(
  world: ReadWorld,
  { columns, from, where, orderColumns, order = 'asc' }: BatchQuery,
): AsyncGenerator<Cell[][]> {
  const positions = sql.raw(
    orderColumns.map(({ expression }, index) => `${expression} as p${index}`).join(', '),
  )
  const orderBy = sql.raw(orderColumns.map(({ expression }) => `${expression} ${order}`).join(', '))
  let last: Row | undefined
  for (;;) {
    const afterLast = last ? [isAfter(orderColumns, order, last)] : []
    const rows: Row[] = await readRows(
      world,
      sql<Row>`
        select ${columnList(columns)}, ${positions}
          from ${from}
         where ${and([...where, ...afterLast])}
         order by ${orderBy}
         limit ${sql.lit(BATCH_ROWS)}`,
    )
    if (rows.length > 0) yield rows.map((row) => cellsOf(row, columns.length))
    last = rows.at(-1)
    if (rows.length < BATCH_ROWS) return
  }
}

function isAfter(orderColumns: BatchQuery['orderColumns'], order: 'asc' | 'desc', last: Row) {
  const names = sql.raw(orderColumns.map(({ expression }) => expression).join(', '))
  const values = sql.join(orderColumns.map(({ type }, index) => sql`${last[`p${index}`]}::${sql.raw(type)}`))
  return sql`(${names}) ${sql.raw(order === 'asc' ? '>' : '<')} (${values})`
}

export const and = (conditions: readonly RawBuilder<unknown>[]) => sql.join(conditions, sql` and `)

const UUID_BYTES = 16
const FETCH_ROWS = 20_000

/**
 * The keys of rows in an order, packed. The order is read before the rows, since the columns of the order may
 * change while a report is written.
 */
export interface OrderedKeys {
  /** The number of UUIDs of a row's key; the first is the row's id. */
  width: number
  packs: readonly Buffer[]
}

/**
 * Reads the keys of a query, in its order and as of one moment, through a cursor: 16 bytes for each UUID of
 * `names`.
 */
export function readKeysInOrder(
  world: ReadWorld,
  names: readonly string[],
  query: RawBuilder<Record<string, string>>,
): Promise<OrderedKeys> {
  return withLongTimeout(world, async (db) => {
    await sql`declare report_order no scroll cursor for ${query}`.execute(db)
    const packs: Buffer[] = []
    for (;;) {
      const { rows } = await sql<
        Record<string, string>
      >`fetch ${sql.lit(FETCH_ROWS)} from report_order`.execute(db)
      const hex = rows.flatMap((row) => names.map((name) => (row[name] ?? '').replaceAll('-', '')))
      packs.push(Buffer.from(hex.join(''), 'hex'))
      if (rows.length < FETCH_ROWS) return { width: names.length, packs }
    }
  })
}

/**
 * Reads rows by their keys, in that order; keys without a row are skipped. `only`: the conditions on the keys
 * of a batch. `id`: the expression of a row's id.
 */
export async function* readByKeys(
  world: ReadWorld,
  { width, packs }: OrderedKeys,
  {
    columns,
    from,
    id,
    only,
  }: Pick<BatchQuery, 'columns' | 'from'> & {
    id: string
    only: (keys: string[][]) => readonly RawBuilder<unknown>[]
  },
): AsyncGenerator<Cell[][]> {
  const size = width * UUID_BYTES
  for (const pack of packs) {
    for (let at = 0; at < pack.length; at += BATCH_ROWS * size) {
      const keys = unpack(pack.subarray(at, at + BATCH_ROWS * size), width)
      const rows: Row[] = await readRows(
        world,
        sql<Row>`
          select ${sql.raw(id)} as row_id, ${columnList(columns)}
            from ${from}
           where ${and(only(keys))}`,
      )
      const byId = new Map(rows.map((row) => [row['row_id'], row]))
      yield keys.flatMap(([key = '']) => {
        const row = byId.get(key)
        return row ? [cellsOf(row, columns.length)] : []
      })
    }
  }
}

const unpack = (pack: Buffer, width: number): string[][] =>
  Array.from({ length: pack.length / UUID_BYTES / width }, (_, row) =>
    Array.from({ length: width }, (_, index) => uuidAt(pack, (row * width + index) * UUID_BYTES)),
  )

function uuidAt(pack: Buffer, at: number): string {
  const hex = pack.toString('hex', at, at + UUID_BYTES)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The UUID at `index` of each key, as a parameter. */
export const keyParameter = (keys: string[][], index: number) => sql`${keys.map((key) => key[index])}::uuid[]`
