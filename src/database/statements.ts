import { createHash } from 'node:crypto'
import type { Pool, QueryResultRow } from 'pg'
import { runOnOwnConnection } from './postgres/run-statement.ts'
import type { SharedCommits } from './postgres/shared-commits.ts'

/** Runs hand-written SQL as a named prepared statement; the name is a hash of the text, so equal texts share a plan (DESIGN §2: +60 %). */
export type Statements = <Row extends QueryResultRow>(text: string, values: readonly unknown[]) => Promise<Row[]>

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known) return known
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}

const sharedCommitTexts = new Set<string>()

/** A statement that may share its commit with others that come at the same time (`shared-commits.ts`): it must be a commit by itself, and quick. */
export function withSharedCommit(text: string): string {
  sharedCommitTexts.add(text)
  return text
}

export const statements =
  (pool: Pool, shared: SharedCommits): Statements =>
  async (text, values) => {
    const query = { name: nameOf(text), text, values: [...values] }
    const { rows } = await (sharedCommitTexts.has(text) ? shared.run(query) : runOnOwnConnection(pool, query))
    return rows
  }
