import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import type { Tables } from './tables.ts'
import { timestamp } from './timestamp.ts'

const { builtins } = pg.types

/**
 * Amounts fit a double exactly (they add up far below 2^53); timestamps stay text, so that no microsecond is
 * lost.
 */
const columnParsers: Partial<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: Number,
  [builtins.TIMESTAMPTZ]: timestamp,
}

/** How both databases turn columns into values. */
export const typeParsers = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    columnParsers[oid] ?? pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig

/**
 * Composed queries stay unnamed: they are lists whose filters differ from call to call, and a plan made for
 * the values at hand beats one that must suit all (a generic plan for `status = any($1)` reads the whole
 * account).
 */
export const queryBuilder = (pool: PostgresPool) =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
