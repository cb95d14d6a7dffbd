import { type RawBuilder, sql } from 'kysely'
import { type DimensionName, dimensionNames, dimensions } from '../dimension.ts'
import { authorized, type Population, populations, volume } from '../measure.ts'
import type { Cell } from './packed-column.ts'

/** What the explorer knows of a payment. */
export interface PaymentFacts {
  /** 32 hexadecimal digits, as its UUID has them. */
  id: string
  /** Milliseconds since 1970. */
  created: number
  /** Bits: `populationBits` and `AUTHORIZED`. */
  counted: number
  /** Smallest unit of its currency; 0 where it was not authorized. */
  amount: number
  /** In the order of the dimensions that were asked for. */
  cells: Cell[]
  /** As the database has it. */
  uuid: string
}

export const populationBits = { authorization: 1, authentication: 2, monitoring: 4 } as const satisfies Record<Population, number>
export const AUTHORIZED = 8

const counted = `(${populations.authorization}::int * ${populationBits.authorization} + ${populations.authentication}::int * ${populationBits.authentication} + ${populations.monitoring}::int * ${populationBits.monitoring} + ${authorized}::int * ${AUTHORIZED})`

interface Row {
  uuid: string
  created: number
  counted: number
  amount: number
  cells: (string | string[] | null)[]
}

/** The columns of a query over rows `t` of `transactions`, for `readFacts`. */
export const factColumns = (
  names: readonly DimensionName[] = dimensionNames,
): RawBuilder<Row> => sql<Row>`t.id as uuid, floor(extract(epoch from t.created_at) * 1000)::float8 as created, ${sql.raw(counted)} as counted, ${sql.raw(volume)} as amount,
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

/** In one order, so that equal sets are equal cells. */
const inOrder = (texts: string[]): string[] => (texts.length > 1 ? texts.sort() : texts)

/** One pair of metadata as PostgreSQL writes `jsonb`: texts are escaped alike there and here. */
export const pairText = (key: string, value: string): string => `{${JSON.stringify(key)}: ${JSON.stringify(value)}}`
