import { createHash } from 'node:crypto'
import type { Pool, QueryConfig, QueryResultRow } from 'pg'
import { runOnOwnConnection } from './postgres/run-statement.ts'
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
  (pool: Pool, shared: SharedCommits): Statements =>
  async (text, values) => {
    const query = namedQuery(text, values)
    const { rows } = await (sharedCommitTexts.has(text) ? shared.run(query) : runOnOwnConnection(pool, query))
    return rows
  }
