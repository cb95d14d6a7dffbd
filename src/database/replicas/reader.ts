import type { PostgresCursor, PostgresPool, PostgresQueryResult } from 'kysely'
import type { PoolClient, QueryConfig } from 'pg'
import type { Database } from '../database.ts'
import { byParentTables } from '../partitions/payment-partitions.ts'
import { queryBuilder } from '../query-builder.ts'
import { namedQuery } from '../statements.ts'

/** Reads from a database. */
export type Reader = Pick<Database, 'db' | 'run'>

/**
 * A reader whose statements all use one connection, so that each of them sees at least what those before it
 * have seen. A statement without an answer for `answerWithin` milliseconds fails, and closes the connection.
 */
export function readerOn(
  client: PoolClient,
  answerWithin: number,
): Reader & {
  /** The error of the first statement that failed; undefined: none has. */
  failure(): unknown
} {
  let failure: unknown
  const send = async (query: QueryConfig) => {
    const limited = { ...query, query_timeout: answerWithin }
    try {
      return await client.query(limited)
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  const pool: PostgresPool = {
    connect: async () => ({ query, release: () => undefined }),
    end: async () => undefined,
    options: {},
  }
  function query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  function query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('a reader has no cursors of the driver')
    return send({ text, values: [...values] })
  }
  return {
    db: queryBuilder(pool),
    run: async (text, values) => (await send(namedQuery(byParentTables(text), values))).rows,
    failure: () => failure,
  }
}
