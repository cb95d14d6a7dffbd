import { type RawBuilder, sql } from 'kysely'
import { type DimensionName, dimensionNames, dimensions } from '../dimension.ts'
import { authorized, type Population, populations, volume } from '../measure.ts'
import type { Cell } from './packed-column.ts'

/** What the explorer counts of a payment. */
export interface PaymentFacts {
  /** The 32 hexadecimal digits of its UUID. */
  id: string
  /** Milliseconds since 1970. */
  created: number
  /**
   * The populations to which it belongs and whether it is authorized, as bits: `populationBits` and
   * `AUTHORIZED`.
   */
  counted: number
  /** In the smallest unit of its currency; 0 if it was not authorized. */
  amount: number
  /** Its values, in the order of the dimensions of the query. */
  cells: Cell[]
  /** Its id in the form of the database. */
  uuid: string
}

export const populationBits = {
  authorization: 1,
  authentication: 2,
  monitoring: 4,
} as const satisfies Record<Population, number>
export const AUTHORIZED = 8

const counted = `(${populations.authorization}::int * ${populationBits.authorization}
        + ${populations.authentication}::int * ${populationBits.authentication}
        + ${populations.monitoring}::int * ${populationBits.monitoring}
        + ${authorized}::int * ${AUTHORIZED})`

interface Row {
  uuid: string
  created: number
  counted: number
  amount: number
  cells: (string | string[] | null)[]
}

/** The columns of a query over rows `t` of `transactions`, for `readFacts`. */
export const factColumns = (names: readonly DimensionName[] = dimensionNames): RawBuilder<Row> => sql<Row>`
       t.id as uuid,
       floor(extract(epoch from t.created_at) * 1000)::float8 as created,
       ${sql.raw(counted)} as counted,
       ${sql.raw(volume)} as amount,
       jsonb_build_array(${sql.raw(names.map(expressionOf).join(', '))}) as cells`

const expressionOf = (name: DimensionName) => dimensions[name].sql

export function readFacts(row: Row): PaymentFacts {
  return {
    id: row.uuid.replaceAll('-', ''),
    uuid: row.uuid,
    created: row.created,
    counted: row.counted,
    amount: row.amount,
    cells: row.cells.map((cell) => (Array.isArray(cell) ? inOrder(cell) : cell)),
  }
}

/** The texts of a set in a fixed order, so that equal sets are equal cells. */
const inOrder = (texts: string[]): string[] => (texts.length > 1 ? texts.sort() : texts)

/**
 * One pair of metadata in the form in which PostgreSQL writes `jsonb`; JavaScript escapes texts in the same
 * way.
 */
export const pairText = (key: string, value: string): string =>
  `{${JSON.stringify(key)}: ${JSON.stringify(value)}}`
