import type { ColumnType } from 'kysely'

/** A JSON column: reading parses it, and writing takes its text. */
export type Json<T> = ColumnType<T, string, string>
