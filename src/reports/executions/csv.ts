import { stringify } from 'csv-stringify/sync'
import type { Cell } from '../models/model.ts'

/**
 * Rows as CSV (RFC 4180, UTF-8). A text that a spreadsheet would take for a formula gets an apostrophe first;
 * numbers, also negative ones, do not.
 */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  stringify([...rows], {
    escape_formulas: true,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    cast: { boolean: (value) => String(value) },
  })
