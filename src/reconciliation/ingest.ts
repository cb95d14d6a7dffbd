import { basename } from 'node:path'
import type { SettlementReport } from '../connectors/settlement-report.ts'
import { type BookedService, type BookingContext, bookLines } from './book-lines.ts'
import { addCount, type Counts, lineKey } from './match-batch.ts'
import { lineReader, missingColumns } from './read-line.ts'
import { type Cells, fingerprintOf, type Header, readHeader, records, UnreadableReport } from './read-report.ts'
import {
  beginReportFile,
  findReportFile,
  finishReportFile,
  type Progress,
  type ReportFileRow,
  saveProgress,
  upsertReport,
} from './report-file.store.ts'
import type { PlacedLine } from './report-line.ts'

/** A payment service and how its reports are read. */
export interface ReportSource extends BookedService {
  report: SettlementReport
}

export interface IngestOptions {
  /** How the payment service calls the report; by default the file's name. */
  name?: string
  /** Says what would happen, and writes nothing. */
  dryRun?: boolean
  /** Called after each batch. */
  progress?: (soFar: Progress, size: number) => void
  stopped?: () => boolean
}

export interface Ingested {
  /** `known`: all of it was read before. `stopped`: somebody asked for that; the rest is read next time. */
  status: 'read' | 'known' | 'stopped'
  /** Lines that an earlier run had read already. */
  readBefore: number
  lines: number
  counts: Counts
}

/** Lines in one commit. More of them are hardly faster, and payments in the embedded database wait for so long. */
const BATCH = 4_000

/**
 * Reads a settlement report into the books (SEMANTICS §4.2). A file is known by its content and a line by the payment service's id, so neither counts twice; how far
 * a file was read is in the commit of what was read, so the same call goes on after a crash.
 */
export async function ingestReport(world: BookingContext, source: ReportSource, path: string, options: IngestOptions = {}): Promise<Ingested> {
  const { dryRun = false, name = basename(path), progress, stopped = () => false } = options
  const fingerprint = await fingerprintOf(path)
  const header = await readHeader(path, source.report.delimiter)
  const missing = missingColumns(source.report, header.columns)
  if (missing.length > 0)
    throw new UnreadableReport(`the file lacks the columns ${missing.join(', ')}; it has ${header.columns.join(', ').slice(0, 1_000)}`)
  const known = await findReportFile(world, source, fingerprint.sha256)
  if (known?.finished_at) {
    // by its name it is known before it is fetched
    if (!dryRun) await upsertReport(world, source, name)
    return { status: 'known', readBefore: known.read_lines, lines: known.read_lines, counts: known.counts }
  }
  const file = known ?? (dryRun ? dryRunFile(header) : await beginReportFile(world, source, { name, fingerprint, header }))
  let at: Progress = { bytes: file.read_bytes, lines: file.read_lines, counts: file.counts }
  const readBefore = known ? known.read_lines : 0
  // the next lines are read while these are booked
  let booking = Promise.resolve()
  for await (const batch of batches(path, source, header, file)) {
    await booking
    if (stopped()) return { status: 'stopped', readBefore, lines: at.lines, counts: at.counts }
    booking = book(batch)
    // it is looked at when the next lines are there; until then a failure is nobody's
    booking.catch(() => undefined)
  }
  await booking
  if (!dryRun) await finishReportFile(world, source, fingerprint.sha256)
  return { status: 'read', readBefore, lines: at.lines, counts: at.counts }

  async function book({ lines, ignored, read, end }: Batch): Promise<void> {
    let to = at
    await bookLines(
      world,
      source,
      lines,
      async (db, judged) => {
        to = { ...end, counts: addCounts(at.counts, { ...judged.counts, read, ...(ignored > 0 && { ignored }) }) }
        if (!dryRun) await saveProgress(db, source, fingerprint.sha256, at, to)
      },
      { dryRun },
    )
    at = to
    progress?.(at, fingerprint.size)
    if (end.problem) throw end.problem
  }
}

/** A dry run has no file to name. */
const dryRunFile = ({ bytes, lines }: Header): Pick<ReportFileRow, 'id' | 'report_id' | 'read_bytes' | 'read_lines' | 'counts'> => ({
  id: '00000000-0000-0000-0000-000000000000',
  report_id: '00000000-0000-0000-0000-000000000000',
  read_bytes: bytes,
  read_lines: lines,
  counts: {},
})

export function addCounts(counts: Counts, more: Counts): Counts {
  const sum = { ...counts }
  for (const [name, value] of Object.entries(more)) addCount(sum, name, value)
  return sum
}

interface Batch {
  lines: PlacedLine[]
  read: number
  ignored: number
  /** Where the next line begins. `problem`: and why it cannot be read. */
  end: { bytes: number; lines: number; problem?: UnreadableReport }
}

/** The lines from where the file was read to, in batches. What precedes a place that cannot be read comes as a batch of its own, with the problem. */
async function* batches(
  path: string,
  { report }: ReportSource,
  header: Header,
  file: Pick<ReportFileRow, 'id' | 'report_id' | 'read_bytes' | 'read_lines'>,
): AsyncGenerator<Batch> {
  const read = lineReader(report, header.columns)
  const start = { bytes: file.read_bytes, lines: file.read_lines }
  const fresh = (end: Batch['end']): Batch => ({ lines: [], read: 0, ignored: 0, end })
  const keys = keyMaker()
  let batch = fresh(start)
  try {
    // lines without ids are counted from the top
    for await (const { cells, bytes, lines } of records(path, report.delimiter, report.columns.line === undefined ? header : start)) {
      const result = read(cells)
      const key = keys('line' in result ? result.line.id : undefined, cells)
      if (bytes <= start.bytes) continue
      batch.read += 1
      batch.end = { bytes, lines }
      if ('ignored' in result) batch.ignored += 1
      else
        batch.lines.push({
          key: 'line' in result ? key : lineKey('malformed', ...cells),
          reportId: file.report_id,
          fileId: file.id,
          number: lines,
          text: cells.join(report.delimiter),
          line: 'line' in result ? result.line : null,
        })
      if (batch.read < BATCH) continue
      yield batch
      batch = fresh(batch.end)
    }
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error
    batch.end.problem = error
    yield batch
    return
  }
  if (batch.read > 0) yield batch
}

/** Names lines by their ids; those without by their content and by how often it came before. Of the latter it remembers each. */
function keyMaker(): (id: string | null | undefined, cells: Cells['cells']) => string {
  const seen = new Map<string, number>()
  return (id, cells) => {
    if (id === undefined) return ''
    if (id !== null) return lineKey('id', id)
    const content = lineKey('content', ...cells)
    const times = (seen.get(content) ?? 0) + 1
    seen.set(content, times)
    return lineKey(content, times)
  }
}
