import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Kysely, sql } from 'kysely'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { isStorable } from '../../api/server/validation.ts'
import { CardScheme, CardType } from '../../connectors/contract/method.schema.ts'
import { changeWithAudit } from '../../database/logs/audit-log.ts'
import type { BinTable } from '../../database/tables/vault.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'

/** A file of BINs that cannot be imported; the message names the line. */
export class UnreadableBins extends Error {}

const columns = ['bin', 'scheme', 'card_type', 'issuer', 'country'] as const
type Line = Record<(typeof columns)[number], string>

const BATCH = 1_000
const MAX_ISSUER_LENGTH = 200

/** The BINs of the test cards (semantics §6.1): they are synthetic, and no issuer has them. */
export const sandboxBins = new URL('./sandbox-bins.csv', import.meta.url)

/**
 * Imports a CSV file of BINs: `bin,scheme,card_type,issuer,country`, in any order, with a header. `bin` has 6
 * to 8 digits; a card with several schemes has them separated by blanks, the main one first; the last three
 * columns may be empty. Prefixes that exist are replaced, others stay. The file is imported as a whole or not
 * at all. Answers how many lines were read. Throws `UnreadableBins`.
 */
export async function importBins(
  world: Pick<World, 'db' | 'changes' | 'clock' | 'ids'>,
  file: string | URL,
): Promise<number> {
  const lines = await changeWithAudit(
    world,
    (db) => loadBins(db, file),
    (count) => ({
      account: 'default',
      action: 'updated',
      resource: { type: 'bins', id: 'bins', name: `${count} lines` },
    }),
  )
  world.changes.invalidate('bins')
  return lines
}

/** `importBins` within a database transaction of the caller, who invalidates the cache after it. */
export async function loadBins(db: Kysely<Tables>, file: string | URL): Promise<number> {
  let header: string[] | undefined
  let number = 0
  let lines = 0
  let batch = new Map<string, BinTable>()
  for await (const text of createInterface({
    input: createReadStream(file, 'utf8'),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1
    if (text.trim() === '') continue
    const cells = readCells(text)
    if (!cells) throw new UnreadableBins(`line ${number}: a quotation mark is not closed`)
    if (!header) {
      header = readHeader(cells, number)
      continue
    }
    if (cells.length !== header.length)
      throw new UnreadableBins(`line ${number}: has ${cells.length} cells, the header ${header.length}`)
    const row = readBin(toLine(header, cells), number)
    // the last line of a prefix counts: a statement cannot replace a row twice
    batch.set(row.prefix, row)
    lines += 1
    if (batch.size < BATCH) continue
    await upsert(db, [...batch.values()])
    batch = new Map()
  }
  if (!header) throw new UnreadableBins(`line 1: the header ${columns.join(',')} is missing`)
  if (batch.size > 0) await upsert(db, [...batch.values()])
  return lines
}

/** The cells of a line (RFC 4180); null: a quoted cell does not end. */
function readCells(text: string): string[] | null {
  const cells: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y
  while (cell.lastIndex <= text.length) {
    const [, quoted, plain = '', end] = cell.exec(text) ?? []
    if (end === undefined) return null
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
    if (end === '') return cells
  }
  return cells
}

function readHeader(cells: string[], number: number): string[] {
  // spreadsheets write a byte order mark
  const header = cells.map((cell) => cell.replace(/^\uFEFF/, '').toLowerCase())
  const missing = columns.filter((column) => !header.includes(column))
  if (missing.length > 0) throw new UnreadableBins(`line ${number}: the header lacks ${missing.join(', ')}`)
  return header
}

const toLine = (header: string[], cells: string[]): Line => {
  const cellOf = (column: string) => cells[header.indexOf(column)] ?? ''
  return {
    bin: cellOf('bin'),
    scheme: cellOf('scheme'),
    card_type: cellOf('card_type'),
    issuer: cellOf('issuer'),
    country: cellOf('country'),
  }
}

/** A line as a row. Throws `UnreadableBins`. */
function readBin(line: Line, number: number): BinTable {
  const unreadable = (problem: string) => new UnreadableBins(`line ${number}: ${problem}`)
  const requireValue = (text: string, schema: TSchema, column: string) => {
    if (!Check(schema, text)) throw unreadable(`${column} is not one of those that the API knows`)
    return text
  }
  const [scheme = '', ...additional_schemes] = line.scheme
    .split(/\s+/)
    .map((each) => requireValue(each, CardScheme, 'scheme'))
  if (!/^\d{6,8}$/.test(line.bin)) throw unreadable('bin must have 6 to 8 digits')
  if (!isStorable(line.issuer) || line.issuer.length > MAX_ISSUER_LENGTH)
    throw unreadable(`issuer must be a text of ${MAX_ISSUER_LENGTH} characters at most`)
  if (line.country !== '' && !/^[A-Z]{2}$/.test(line.country))
    throw unreadable('country must be two capital letters')
  return {
    prefix: line.bin,
    scheme,
    additional_schemes,
    card_type: line.card_type === '' ? null : requireValue(line.card_type, CardType, 'card_type'),
    issuer: line.issuer || null,
    country: line.country || null,
  }
}

/**
 * All rows are one parameter: PostgreSQL takes at most 65,535 parameters, and a text array cannot hold arrays
 * of different lengths.
 */
async function upsert(db: Kysely<Tables>, rows: BinTable[]): Promise<void> {
  await sql`
    insert into bins
    select *
      from jsonb_populate_recordset(null::bins, ${JSON.stringify(rows)}::jsonb)
        on conflict (prefix) do update
       set scheme = excluded.scheme,
           additional_schemes = excluded.additional_schemes,
           card_type = excluded.card_type,
           issuer = excluded.issuer,
           country = excluded.country`.execute(db)
}
