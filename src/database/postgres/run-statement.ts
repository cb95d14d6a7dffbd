import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'

/** Runs a statement on a connection of its own. */
export async function runOnOwnConnection(pool: Pool, query: QueryConfig): Promise<QueryResult> {
  return runOnConnection(await pool.connect(), query)
}

/** Runs a statement on a connection that the caller has taken, and gives that back. */
export const runOnConnection = (client: PoolClient, query: QueryConfig): Promise<QueryResult> => releaseAfter(client, () => client.query(query))

/**
 * Gives the connection back after `work`. `Pool.query` ends it with every statement that fails, and with it all that is prepared there: one that a constraint
 * refuses, as a repeated idempotency key is, would cost 5 ms and a process of the server.
 */
export async function releaseAfter<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  // whoever waits for an answer is told of a connection that breaks by that answer
  client.on('error', ignore)
  let broken: unknown
  try {
    return await work()
  } catch (error) {
    if (!isStatementError(error)) broken = error
    throw error
  } finally {
    client.off('error', ignore)
    client.release(broken !== undefined)
  }
}

const ignore = () => undefined

/** What the server says when it ends a connection (PostgreSQL, appendix A). Its word for how bad an error is depends on the language it speaks. */
const connectionEndCodes = /^(08|57P|25P03|25P04)/

/** The server refused a statement, and the connection is as good as before. */
export const isStatementError = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && !connectionEndCodes.test(error.code ?? '')
