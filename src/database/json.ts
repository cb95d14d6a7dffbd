import type { ColumnType } from 'kysely'

/** A JSON column: read parsed, written as text. Each folder gives its JSON columns their meaning. */
export type Json<T> = ColumnType<T, string, string>
