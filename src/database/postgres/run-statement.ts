import { DatabaseError, type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'
import { FEATURE_NOT_SUPPORTED } from '../error-codes.ts'

/** Runs a statement on a connection of its own. */
export async function runOnOwnConnection(pool: Pool, query: QueryConfig): Promise<QueryResult> {
  return runOnConnection(await pool.connect(), query)
}

/** Runs a statement on a connection that the caller has taken, and releases the connection. */
export const runOnConnection = (client: PoolClient, query: QueryConfig): Promise<QueryResult> =>
  releaseAfter(client, () => client.query(query))

/**
 * Releases the connection after `work`. `Pool.query` closes it after every failed statement, with all its
 * prepared statements: a statement that a constraint refuses, such as a repeated idempotency key, would cost
 * 5 ms and a process of the server.
 */
export async function releaseAfter<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  // a statement that waits for an answer gets the error of a broken connection
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

/**
 * The codes with which the server ends a connection (PostgreSQL, appendix A), and the one of a server that
 * takes no writes: another connection may lead to the primary. The severity of an error is localized, so it
 * cannot be compared.
 */
const connectionEndCodes = /^(08|57P|25006|25P03|25P04)/

/**
 * A Citus coordinator refused the statement since a worker did: it could not be reached (08006, which a server never
 * says of the connection on which it says it), or refused it with a code of its own. The connection to the coordinator
 * can be used again; to replace it would cost the coordinator 0.2 s, for each request about the worker's accounts.
 */
const isOfWorker = ({ code, routine }: DatabaseError): boolean =>
  code === '08006' || routine === 'ReportResultError'

/**
 * An upgrade has changed the columns of a table since the statement was prepared on the connection, which refuses it
 * from then on.
 */
export const isPlanOutdated = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError &&
  error.code === FEATURE_NOT_SUPPORTED &&
  error.routine === 'RevalidateCachedQuery'

/** True if the server refused a statement and the connection can be used again. */
export const isStatementError = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError &&
  (isOfWorker(error) || !(connectionEndCodes.test(error.code ?? '') || isPlanOutdated(error)))
