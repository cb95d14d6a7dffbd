import { gunzipSync, inflateSync } from 'node:zlib'
import type { World } from '../../src/world.ts'
import { readableRow } from './unpacked.ts'

/** Where a text was found: a row of a table, as JSON. */
export interface Found {
  table: string
  text: string
}

/**
 * Searches texts in every column of every row of every table: text, JSON, and bytes, decompressed if they are
 * compressed.
 */
export async function searchDatabase(
  { run }: Pick<World, 'run'>,
  texts: readonly string[],
): Promise<Found[]> {
  const tables = await run<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    [],
  )
  const found: Found[] = []
  for (const { name } of tables) {
    const rows = await run<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`, [])
    for (const { row } of rows) {
      const readable = [readableRow(row), ...bytesOf(row)].join('\n')
      for (const text of texts) if (readable.includes(text)) found.push({ table: name, text })
    }
  }
  return found
}

/** Columns of bytes, which JSON has in hexadecimal. */
const bytesOf = (row: string): string[] =>
  [...row.matchAll(/"\\\\x([0-9a-f]+)"/g)].flatMap(([, hex = '']) => {
    const bytes = Buffer.from(hex, 'hex')
    return [bytes, unpacked(gunzipSync, bytes), unpacked(inflateSync, bytes)].flatMap(
      (each) => each?.toString('latin1') ?? [],
    )
  })

function unpacked(unpack: (bytes: Buffer) => Buffer, bytes: Buffer): Buffer | undefined {
  try {
    return unpack(bytes)
  } catch {
    return undefined
  }
}
