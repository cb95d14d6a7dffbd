import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { CsvError, type InfoRecord, type Options, type Parser, parse } from 'csv-parse'
import type { SettlementReport } from '../connectors/settlement-report.ts'
import { missingColumns } from './read-line.ts'

/** A file that cannot be read, or not beyond a place that the message names. */
export class UnreadableReport extends Error {}

/** No report has longer lines; what does is no report, and would not fit the memory. */
const MAX_LINE_LENGTH = 65_536
const CHUNK = 1 << 20

export interface Fingerprint {
  sha256: Buffer
  /** In bytes. */
  size: number
}

/** What the file is, whatever its name. */
export async function fingerprintOf(path: string): Promise<Fingerprint> {
  const digest = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) {
    digest.update(chunk)
    size += chunk.length
  }
  return { sha256: digest.digest(), size }
}

export interface Header {
  columns: string[]
  /** Where the first line below begins, and how many lines come before it. */
  bytes: number
  lines: number
}

/** Encodings that spreadsheets write and that are not UTF-8, and the compressed forms that files are sent in, by how they begin. */
const wrongBeginnings = new Map([
  ['fffe', 'is in UTF-16; save it as UTF-8'],
  ['feff', 'is in UTF-16; save it as UTF-8'],
  ['1f8b', 'is compressed (gzip); unpack it first'],
  ['504b', 'is compressed (zip), or a spreadsheet; unpack it, or save it as CSV'],
])
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** The names of the columns. Throws where the file does not begin as a report does. */
export async function readHeader(path: string, delimiter: SettlementReport['delimiter']): Promise<Header> {
  const file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTE_ORDER_MARK.length)).finally(() => file.close())
  const beginning = buffer.subarray(0, bytesRead)
  const problem = wrongBeginnings.get(beginning.subarray(0, 2).toString('hex'))
  if (problem) throw new UnreadableReport(`the file ${problem}`)
  const start = beginning.equals(BYTE_ORDER_MARK) ? beginning.length : 0
  for await (const { cells, bytes, lines } of records(path, delimiter, { bytes: start, lines: 0 }))
    return { columns: cells.map((name) => name.trim()), bytes, lines }
  throw new UnreadableReport('the file is empty')
}

/** Whether a file begins as the reports of a payment service do. */
export async function fitsHeader(path: string, report: SettlementReport): Promise<boolean> {
  const { columns } = await readHeader(path, report.delimiter)
  return missingColumns(report, columns).length === 0
}

/** A line of cells; `bytes` and `lines`: where the next one begins, and how many come before it. */
export interface Cells {
  cells: string[]
  bytes: number
  lines: number
}

const options = (delimiter: string): Options => ({
  delimiter,
  record_delimiter: ['\r\n', '\n'],
  // a line with too many or too few cells is one that cannot be read, and no reason to read no more
  relax_column_count: true,
  // 12" is an ordinary text
  relax_quotes: true,
  skip_empty_lines: true,
  max_record_size: MAX_LINE_LENGTH,
})

/** The lines of a file from a place on, one after the other: it may be of any size. */
export async function* records(path: string, delimiter: string, from: Pick<Cells, 'bytes' | 'lines'>): AsyncGenerator<Cells> {
  let found: Cells[] = []
  let last = from
  const take = (cells: string[], { bytes, lines }: InfoRecord) => {
    last = { bytes: from.bytes + bytes, lines: from.lines + lines }
    found.push({ cells, ...last })
    return null
  }
  const taken = () => {
    const lines = found
    found = []
    return lines
  }
  // what its own readable side holds is lost where a later line cannot be read
  const parser = parse({ ...options(delimiter), on_record: take })
  // `parsed` answers it; it is told once more afterwards
  parser.on('error', () => undefined)
  for await (const chunk of createReadStream(path, { start: from.bytes, highWaterMark: CHUNK })) {
    const problem = await parsed(parser, (done) => parser.write(chunk, done))
    yield* taken()
    if (problem) throw unreadable(problem, last)
  }
  const problem = await parsed(parser, (done) => parser.end(done))
  yield* taken()
  if (problem) throw unreadable(problem, last)
}

function parsed(parser: Parser, act: (done: (error?: Error | null) => void) => void): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const done = (error?: Error | null) => {
      parser.off('error', done)
      resolve(error ?? undefined)
    }
    parser.once('error', done)
    act(done)
  })
}

function unreadable(error: Error, { lines, bytes }: Pick<Cells, 'bytes' | 'lines'>): Error {
  if (!(error instanceof CsvError)) return error
  const problem = csvProblems[error.code] ?? error.code
  return new UnreadableReport(`${problem} after line ${lines} (byte ${bytes}); what stands before it was read`)
}

const csvProblems: Partial<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `a line is longer than ${MAX_LINE_LENGTH} bytes, or a quotation mark is not closed`,
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
}
