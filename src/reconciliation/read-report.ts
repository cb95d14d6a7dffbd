import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { CsvError, type InfoRecord, type Options, type Parser, parse } from 'csv-parse'
import type { ReportLines } from '../connectors/contract/offered-reports.ts'
import type { SettlementReport } from '../connectors/contract/settlement-report.ts'
import { missingColumns } from './read-line.ts'

/** The file cannot be read, or not beyond a line that the message names. */
export class UnreadableReport extends Error {}

/** A file with longer lines is no report. The limit also bounds the memory. */
const MAX_LINE_LENGTH = 65_536
const CHUNK = 1 << 20

export interface Fingerprint {
  sha256: Buffer
  /** In bytes. */
  size: number
}

/** Identifies a file by its content. */
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
  /** Where the first line after the header begins, and how many lines are before it. */
  bytes: number
  lines: number
}

/** The first bytes of encodings other than UTF-8 that spreadsheets write, and of compressed files. */
const wrongBeginnings = new Map([
  ['fffe', 'is in UTF-16; save it as UTF-8'],
  ['feff', 'is in UTF-16; save it as UTF-8'],
  ['1f8b', 'is compressed (gzip); unpack it first'],
  ['504b', 'is compressed (zip), or a spreadsheet; unpack it, or save it as CSV'],
])
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Reads the names of the columns. Throws `UnreadableReport` if the file does not begin as a report does. */
export async function readHeader(path: string, delimiter: SettlementReport['delimiter']): Promise<Header> {
  const file = await open(path)
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(BYTE_ORDER_MARK.length))
    .finally(() => file.close())
  const beginning = buffer.subarray(0, bytesRead)
  const problem = wrongBeginnings.get(beginning.subarray(0, 2).toString('hex'))
  if (problem) throw new UnreadableReport(`the file ${problem}`)
  const start = beginning.equals(BYTE_ORDER_MARK) ? beginning.length : 0
  for await (const { cells, bytes, lines } of records(path, delimiter, { bytes: start, lines: 0 }))
    return { columns: cells.map((name) => name.trim()), bytes, lines }
  throw new UnreadableReport('the file is empty')
}

/** Whether a file has the columns of a payment service's reports. */
export async function fitsHeader(path: string, report: SettlementReport): Promise<boolean> {
  const { columns } = await readHeader(path, report.delimiter)
  return missingColumns(report, columns).length === 0
}

/** The rows of a file by the names of their columns. A row may lack cells at its end, and has none beyond the columns. */
export async function* namedRows(path: string, delimiter: SettlementReport['delimiter']): ReportLines {
  const header = await readHeader(path, delimiter)
  for await (const { cells, lines } of records(path, delimiter, header)) {
    if (cells.slice(header.columns.length).some((cell) => cell !== ''))
      throw new UnreadableReport(`line ${lines} has more cells than the header`)
    yield Object.fromEntries(header.columns.map((name, index) => [name, cells[index] ?? '']))
  }
}

/** A line of a file. */
export interface Cells {
  cells: string[]
  /** Where the next line begins. */
  bytes: number
  /** The number of lines before that, this one included. */
  lines: number
}

const options = (delimiter: string): Options => ({
  delimiter,
  record_delimiter: ['\r\n', '\n'],
  // a line with too many or too few cells is malformed; the lines after it are read
  relax_column_count: true,
  // a quotation mark within a text, such as 12", is an ordinary sign
  relax_quotes: true,
  skip_empty_lines: true,
  max_record_size: MAX_LINE_LENGTH,
})

/** The lines of a file from a position on, one after the other: the file may have any size. */
export async function* records(
  path: string,
  delimiter: string,
  from: Pick<Cells, 'bytes' | 'lines'>,
): AsyncGenerator<Cells> {
  let parsed: Cells[] = []
  let last = from
  // records are collected here, since the parser loses those on its readable side when a later line cannot be
  // parsed
  const collect = (cells: string[], { bytes, lines }: InfoRecord) => {
    last = { bytes: from.bytes + bytes, lines: from.lines + lines }
    parsed.push({ cells, ...last })
    return null
  }
  const takeParsed = () => {
    const lines = parsed
    parsed = []
    return lines
  }
  const parser = parse({ ...options(delimiter), on_record: collect })
  // `parseNext` answers the error; the parser emits it once more afterwards
  parser.on('error', () => undefined)
  for await (const chunk of createReadStream(path, { start: from.bytes, highWaterMark: CHUNK })) {
    const problem = await parseNext(parser, (done) => parser.write(chunk, done))
    yield* takeParsed()
    if (problem) throw unreadable(problem, last)
  }
  const problem = await parseNext(parser, (done) => parser.end(done))
  yield* takeParsed()
  if (problem) throw unreadable(problem, last)
}

/** Feeds the parser and waits until it has parsed that. Answers its error, if there is one. */
function parseNext(
  parser: Parser,
  act: (done: (error?: Error | null) => void) => void,
): Promise<Error | undefined> {
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
  return new UnreadableReport(
    `${problem} after line ${lines} (byte ${bytes}); what stands before it was read`,
  )
}

const csvProblems: Partial<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `a line is longer than ${MAX_LINE_LENGTH} bytes, or a quotation mark is not closed`,
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
}
