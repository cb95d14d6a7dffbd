import { unpackJson } from '../../src/operations/journal/packed-json.ts'

/** Bytes in the JSON of a row, or in JSON within it. */
const bytesInJson = /\\+x((?:[0-9a-f]{2})+)/g

/** The JSON of a row, followed by what its packed columns hold (`packed-json.ts`), for searches in it. */
export const readableRow = (row: string): string =>
  [row, ...[...row.matchAll(bytesInJson)].flatMap(([, hex = '']) => unpacked(Buffer.from(hex, 'hex')))].join(
    '\n',
  )

function unpacked(bytes: Buffer): string[] {
  try {
    return [JSON.stringify(unpackJson(bytes))]
  } catch {
    // other bytes
    return []
  }
}
