import { createHash } from 'node:crypto'
import type { Pool, QueryResultRow } from 'pg'

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

export const statements =
  (pool: Pool): Statements =>
  async (text, values) =>
    (await pool.query({ name: nameOf(text), text, values: [...values] })).rows
