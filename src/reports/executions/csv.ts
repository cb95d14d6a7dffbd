import { stringify } from 'csv-stringify/sync'
import type { Cell } from '../models/model.ts'

/**
 * Rows as RFC 4180 has them, UTF-8. A text that a spreadsheet would take for a formula begins with an apostrophe; numbers, negative ones too, stay what they are.
 */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  stringify([...rows], {
    escape_formulas: true,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    cast: { boolean: (value) => String(value) },
  })
