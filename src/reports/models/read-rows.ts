import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import type { Cell } from './model.ts'

/** How many rows of a report are in memory at once. */
export const BATCH_ROWS = 500

/** A filter that nothing fits reads a whole account in one statement; a payment's statement is ended after half a minute. */
const STATEMENT_TIMEOUT = '5min'

type Row = Record<string, Cell>

/** Reads beside payments, with more time than they have. Nothing is written: what a long writer holds back is the event log. */
function withLongTimeout<T>({ db }: Pick<World, 'db'>, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = ${sql.lit(STATEMENT_TIMEOUT)}`.execute(transaction)
    return work(transaction)
  })
}

export const readRows = <T>(world: Pick<World, 'db'>, query: RawBuilder<T>): Promise<T[]> =>
  withLongTimeout(world, async (db) => (await query.execute(db)).rows)

/** SQL expressions as the columns of a batch, in their order. */
export const columnList = (expressions: readonly string[]) => sql.raw(expressions.map((expression, index) => `${expression} as c${index}`).join(', '))

const cellsOf = (row: Row, columns: number): Cell[] => Array.from({ length: columns }, (_, index) => row[`c${index}`] ?? null)

/** What a walk reads: rows of `from` in the order of columns that never change, so that none is met twice and none is passed over. */
export interface BatchQuery {
  columns: readonly string[]
  from: RawBuilder<unknown>
  where: readonly RawBuilder<unknown>[]
  /** The columns of the order, the last of them unique. */
  orderColumns: readonly { expression: string; type: 'timestamptz' | 'uuid' }[]
  order?: 'asc' | 'desc'
}

/** A table from its first row that fits to its last, a batch in each statement. A row is as it was when its batch was read. */
export async function* readInBatches(
  world: Pick<World, 'db'>,
  { columns, from, where, orderColumns, order = 'asc' }: BatchQuery,
): AsyncGenerator<Cell[][]> {
  const places = sql.raw(orderColumns.map(({ expression }, index) => `${expression} as p${index}`).join(', '))
  const sorted = sql.raw(orderColumns.map(({ expression }) => `${expression} ${order}`).join(', '))
  let last: Row | undefined
  for (;;) {
    const beyond = last ? [after(orderColumns, order, last)] : []
    const rows: Row[] = await readRows(
      world,
      sql<Row>`select ${columnList(columns)}, ${places} from ${from} where ${and([...where, ...beyond])} order by ${sorted} limit ${sql.lit(BATCH_ROWS)}`,
    )
    if (rows.length > 0) yield rows.map((row) => cellsOf(row, columns.length))
    last = rows.at(-1)
    if (rows.length < BATCH_ROWS) return
  }
}

function after(along: BatchQuery['orderColumns'], order: 'asc' | 'desc', last: Row) {
  const names = sql.raw(along.map(({ expression }) => expression).join(', '))
  const values = sql.join(along.map(({ type }, index) => sql`${last[`p${index}`]}::${sql.raw(type)}`))
  return sql`(${names}) ${sql.raw(order === 'asc' ? '>' : '<')} (${values})`
}

export const and = (conditions: readonly RawBuilder<unknown>[]) => sql.join(conditions, sql` and `)

const UUID = 16
const KEYS = 20_000

/** Keys of rows in an order, packed: what is sorted by may change while a report is written, so the order is taken first. */
export interface OrderedKeys {
  /** How many UUIDs the key of a row has; the first is the row's id. */
  width: number
  packs: readonly Buffer[]
}

/** The keys that a query answers, in its order, as of one moment: 16 bytes for each UUID of `names`, through a cursor. */
export function readKeysInOrder(world: Pick<World, 'db'>, names: readonly string[], query: RawBuilder<Record<string, string>>): Promise<OrderedKeys> {
  return withLongTimeout(world, async (db) => {
    await sql`declare report_order no scroll cursor for ${query}`.execute(db)
    const packs: Buffer[] = []
    for (;;) {
      const { rows } = await sql<Record<string, string>>`fetch ${sql.lit(KEYS)} from report_order`.execute(db)
      const hex = rows.flatMap((row) => names.map((name) => (row[name] ?? '').replaceAll('-', '')))
      packs.push(Buffer.from(hex.join(''), 'hex'))
      if (rows.length < KEYS) return { width: names.length, packs }
    }
  })
}

/** Rows by their keys, in their order; keys whose rows are gone are passed over. `only` words the condition on the keys of a batch, `id` is the expression of the row's id. */
export async function* readByKeys(
  world: Pick<World, 'db'>,
  { width, packs }: OrderedKeys,
  { columns, from, id, only }: Pick<BatchQuery, 'columns' | 'from'> & { id: string; only: (keys: string[][]) => readonly RawBuilder<unknown>[] },
): AsyncGenerator<Cell[][]> {
  const size = width * UUID
  for (const pack of packs) {
    for (let at = 0; at < pack.length; at += BATCH_ROWS * size) {
      const keys = unpack(pack.subarray(at, at + BATCH_ROWS * size), width)
      const rows: Row[] = await readRows(
        world,
        sql<Row>`select ${sql.raw(id)} as place, ${columnList(columns)} from ${from} where ${and(only(keys))}`,
      )
      const byId = new Map(rows.map((row) => [row['place'], row]))
      yield keys.flatMap(([key = '']) => {
        const row = byId.get(key)
        return row ? [cellsOf(row, columns.length)] : []
      })
    }
  }
}

const unpack = (pack: Buffer, width: number): string[][] =>
  Array.from({ length: pack.length / UUID / width }, (_, row) =>
    Array.from({ length: width }, (_, index) => uuidAt(pack, (row * width + index) * UUID)),
  )

function uuidAt(pack: Buffer, at: number): string {
  const hex = pack.toString('hex', at, at + UUID)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** One of the UUIDs of each key, as a parameter. */
export const keyParameter = (keys: string[][], index: number) => sql`${keys.map((key) => key[index])}::uuid[]`
