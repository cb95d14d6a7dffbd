import { createHash } from 'node:crypto'
import { CompiledQuery, type Kysely } from 'kysely'
import type { Pool, QueryConfig, QueryResultRow } from 'pg'
import { UNDEFINED_TABLE } from './error-codes.ts'
import {
  callOf,
  createFunction,
  functionOf,
  isFunctionMissing,
  isFunctionOutdated,
} from './function-versions.ts'
import { partitionedTables } from './partitions/partitioned-tables.ts'
import { byParentTables, type PaymentPartitions } from './partitions/payment-partitions.ts'
import { isPlanOutdated, isStatementError } from './postgres/run-statement.ts'
import type { SharedCommits } from './postgres/shared-commits.ts'
import type { Tables } from './tables.ts'

/**
 * Runs hand-written SQL as a named prepared statement. The name is a hash of the text, so that equal texts
 * share a plan: 60 % more payments a second.
 */
export type Statements = <Row extends QueryResultRow>(
  text: string,
  values: readonly unknown[],
) => Promise<Row[]>

const names = new Map<string, string>()

function nameOf(text: string): string {
  const cached = names.get(text)
  if (cached) return cached
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}

export const namedQuery = (text: string, values: readonly unknown[]): QueryConfig => ({
  name: nameOf(text),
  text,
  values: [...values],
})

/** Runs hand-written SQL on one connection, or in one transaction. */
export const statementsOn =
  (connection: Kysely<Tables>): Statements =>
  async (text, values) =>
    (await connection.executeQuery<never>(CompiledQuery.raw(text, [...values]))).rows

const sharedCommitTexts = new Set<string>()

/**
 * Marks a statement that may share its commit with others (`shared-commits.ts`). It must be a commit by
 * itself, and fast.
 */
export function withSharedCommit(text: string): string {
  sharedCommitTexts.add(text)
  return text
}

/**
 * Runs statements on the partitions of their payments, and functions in the version for these, which it creates if the
 * database lacks it. A partition that was retired has no payment any more: the statement then finds none in the table.
 */
export const statements =
  (pool: Pick<Pool, 'query'>, commits: SharedCommits, partitions: PaymentPartitions): Statements =>
  async (text, values) => {
    const called = functionOf(text)
    const source = called?.definition ?? text
    const send = async (resolved: string) => {
      const query = namedQuery(called ? callOf(called, resolved) : resolved, values)
      try {
        return (await (sharedCommitTexts.has(text) ? commits.run(query) : commits.runAlone(query))).rows
      } catch (error) {
        if (!isPlanOutdated(error)) throw error
        // without a name it is prepared anew: every connection may have the outdated plan
        return (await commits.runAlone({ text: query.text, values: query.values ?? [] })).rows
      }
    }
    if (!called && !partitions.concerns(text)) return send(text)
    const resolved = partitions.resolve(source, values)
    const sendResolved = async () => {
      try {
        return await send(resolved)
      } catch (error) {
        if (!called || !isFunctionMissing(error, called, resolved)) throw error
        return send((await createFunction(pool, called, resolved)) ? resolved : byParentTables(source))
      }
    }
    try {
      return await (called ? repeatInterrupted(sendResolved) : sendResolved())
    } catch (error) {
      if (!isTableGone(error)) throw error
      await partitions.load()
      return send(byParentTables(source))
    }
  }

/**
 * Sends a call again that a cut of a table has interrupted, which then had no effect. Tables are cut one after the
 * other, and each may interrupt it.
 */
async function repeatInterrupted<T>(call: () => Promise<T>): Promise<T> {
  for (let cuts = 0; ; cuts++) {
    try {
      return await call()
    } catch (error) {
      if (!isFunctionOutdated(error) || cuts === partitionedTables.length) throw error
    }
  }
}

/** The partition was retired since this process has read which ones there are. */
const isTableGone = (error: unknown): boolean => isStatementError(error) && error.code === UNDEFINED_TABLE
