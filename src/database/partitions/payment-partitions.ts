import type { Pool } from 'pg'
import { momentOf } from './partitioned-tables.ts'

/** The tables with the rows of a payment that its statements change and read by its id. */
const paymentTables = ['transactions', 'operations', 'transaction_events'] as const
type PaymentTable = (typeof paymentTables)[number]

/**
 * The table as a statement about one payment names it: the partition that has the payment's rows, once the table
 * has partitions. `payment`: the parameter with the payment's id (`$3`). PostgreSQL would find the partition by
 * itself, but locks and opens every other one first: with 24 partitions a payment costs its server 1.4 times as
 * much (docs/decisions/021-partitions.md).
 *
 * ```ts
 * `select * from ${ofPayment('operations', p.payment, 'o')} where o.transaction_id = ${p.payment}`
 * ```
 */
export const ofPayment = (table: PaymentTable, payment: string, alias: string = table): string =>
  `${table}@${payment} ${alias}`

/** What `ofPayment` writes. */
const MARKS = /(\w+)@\$(\d+)/g

/** Which partition has a payment, as this process knows it. */
export interface PaymentPartitions {
  /** Whether the statement names tables with `ofPayment`. */
  concerns(text: string): boolean
  /** The statement for PostgreSQL, which names the partitions of its payments. */
  resolve(text: string, values: readonly unknown[]): string
  /** Everything that `resolve` can answer for a statement about one payment, the parent tables first. */
  everyText(text: string): string[]
  /** Reads the partitions again. */
  load(): Promise<void>
  stop(): void
}

interface KnownPartition {
  table: string
  name: string
  /** The lowest id that it has; empty: it has no bound. */
  from: string
}

const selectPartitions = `
select parent.relname as table,
       part.relname as name,
       coalesce(substring(pg_get_expr(part.relpartbound, part.oid) from $$FROM \\('([^']+)'$$), '') as "from"
  from pg_class parent
  join pg_inherits i
    on i.inhparent = parent.oid
  join pg_class part
    on part.oid = i.inhrelid
 where parent.oid = any(array(select to_regclass(name) from unnest($1::text[]) as name))
   and not i.inhdetachpending`

const REFRESH_MS = 60_000
/** A partition gets its end longer ahead (`cut-due-tables.ts`). */
export const CERTAIN_MS = 86_400_000

/**
 * Follows the partitions of a database. What it answers is right however old it is: a partition gets its end days
 * ahead, so an id of before tomorrow is where it was when the partitions were read, and later ids are left to
 * PostgreSQL.
 */
export function followPartitions(pool: Pool): PaymentPartitions {
  let partitions: ReadonlyMap<string, readonly KnownPartition[]> = new Map()
  let certainUntil = 0
  const parsed = new Map<string, ParsedStatement>()
  const parsedOf = (text: string): ParsedStatement => {
    const known = parsed.get(text)
    if (known) return known
    const statement = parse(text)
    parsed.set(text, statement)
    return statement
  }

  async function load() {
    const began = Date.now()
    const { rows } = await pool.query<KnownPartition>(selectPartitions, [paymentTables])
    rows.sort((one, other) => (one.from < other.from ? -1 : 1))
    partitions = Map.groupBy(rows, ({ table }) => table)
    certainUntil = began + CERTAIN_MS
  }

  function nameOf(table: string, id: unknown): string {
    const known = partitions.get(table) ?? []
    // a payment that is not named is in no partition: any will do
    if (typeof id !== 'string') return known.at(-1)?.name ?? table
    if (known.length === 0 || momentOf(id) >= certainUntil) return table
    return partitionAt(table, id.toLowerCase())
  }

  const partitionAt = (table: string, id: string): string =>
    (partitions.get(table) ?? []).findLast(({ from }) => from <= id)?.name ?? table

  const timer = setInterval(() => void load().catch(() => undefined), REFRESH_MS).unref()
  return {
    concerns: (text) => parsedOf(text).tables.length > 0,
    resolve(text, values) {
      const statement = parsedOf(text)
      return statement.withNames(
        statement.tables.map(({ table, parameter }) => nameOf(table, values[parameter - 1])),
      )
    },
    everyText(text) {
      const statement = parsedOf(text)
      const bounds = new Set([...partitions.values()].flatMap((known) => known.map(({ from }) => from)))
      const resolved = [...bounds].map((bound) =>
        statement.withNames(statement.tables.map(({ table }) => partitionAt(table, bound))),
      )
      return [...new Set([byParentTables(text), ...resolved])]
    },
    load,
    stop: () => clearInterval(timer),
  }
}

/** A statement with `ofPayment`, and its texts: one for each partition that it has been needed for. */
interface ParsedStatement {
  /** In the order of the text. `parameter`: the number of the one with the payment's id. */
  tables: readonly { table: string; parameter: number }[]
  withNames(names: readonly string[]): string
}

function parse(text: string): ParsedStatement {
  const pieces = text.split(/\w+@\$\d+/)
  const texts = new Map<string, string>()
  return {
    tables: [...text.matchAll(MARKS)].map(([, table = '', parameter]) => ({
      table,
      parameter: Number(parameter),
    })),
    withNames(names) {
      const key = names.join()
      const known = texts.get(key)
      if (known !== undefined) return known
      const made = pieces.reduce((before, piece, index) => before + names[index - 1] + piece)
      texts.set(key, made)
      return made
    },
  }
}

/** The statement for a database whose partitions are not followed. */
export const byParentTables = (text: string): string => text.replaceAll(MARKS, '$1')
