import { basename } from 'node:path'
import type { SettlementReport } from '../connectors/contract/settlement-report.ts'
import { type BookedService, type BookingContext, bookLines } from './book-lines.ts'
import { keyMaker, lineKey } from './line-key.ts'
import { addCount, type Counts } from './match-batch.ts'
import { lineReader, missingColumns } from './read-line.ts'
import { fingerprintOf, type Header, readHeader, records, UnreadableReport } from './read-report.ts'
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

/** A payment service with the format of its reports. */
export interface ReportSource extends BookedService {
  report: SettlementReport
}

export interface IngestOptions {
  /** The payment service's name for the report; by default the file's name. */
  name?: string
  /** Answers the counts of a real run, and writes nothing. */
  dryRun?: boolean
  /** Called after each batch. */
  progress?: (progress: Progress, size: number) => void
  stopped?: () => boolean
}

export interface Ingested {
  /** `known`: the whole file was read before. `stopped`: the process stops; the next run reads the rest. */
  status: 'read' | 'known' | 'stopped'
  /** Lines that an earlier run has read. */
  readBefore: number
  lines: number
  counts: Counts
}

/**
 * Lines in one commit. More lines are hardly faster, and payments in the embedded database wait for the
 * commit.
 */
const BATCH = 4_000

/**
 * Reads a settlement report and books its lines (semantics §4.2). A file is recognized by its content and a
 * line by the payment service's id, so that neither counts twice. The progress is in the commit of the lines,
 * so that the same call continues after a crash.
 */
export async function ingestReport(
  world: BookingContext,
  source: ReportSource,
  path: string,
  options: IngestOptions = {},
): Promise<Ingested> {
  const { dryRun = false, name = basename(path), progress, stopped = () => false } = options
  const fingerprint = await fingerprintOf(path)
  const header = await readHeader(path, source.report.delimiter)
  const missing = missingColumns(source.report, header.columns)
  if (missing.length > 0)
    throw new UnreadableReport(
      `the file lacks the columns ${missing.join(', ')}; it has ${header.columns.join(', ').slice(0, 1_000)}`,
    )
  const earlier = await findReportFile(world, source, fingerprint.sha256)
  if (earlier?.finished_at) {
    // recorded, so that a report of this name is not fetched again
    if (!dryRun) await upsertReport(world, source, name)
    return {
      status: 'known',
      readBefore: earlier.read_lines,
      lines: earlier.read_lines,
      counts: earlier.counts,
    }
  }
  const file =
    earlier ??
    (dryRun ? dryRunFile(header) : await beginReportFile(world, source, { name, fingerprint, header }))
  let booked: Progress = { bytes: file.read_bytes, lines: file.read_lines, counts: file.counts }
  const readBefore = earlier ? earlier.read_lines : 0
  // the next batch is read while this one is booked
  let booking = Promise.resolve()
  for await (const batch of batches(path, source, header, file)) {
    await booking
    if (stopped()) return { status: 'stopped', readBefore, lines: booked.lines, counts: booked.counts }
    booking = book(batch)
    // the await above reports a failure; without this line it would count as unhandled until then
    booking.catch(() => undefined)
  }
  await booking
  if (!dryRun) await finishReportFile(world, source, fingerprint.sha256)
  return { status: 'read', readBefore, lines: booked.lines, counts: booked.counts }

  async function book({ lines, ignored, read, end }: Batch): Promise<void> {
    let next = booked
    await bookLines(
      world,
      source,
      lines,
      async (db, { counts }) => {
        next = {
          ...end,
          counts: addCounts(booked.counts, { ...counts, read, ...(ignored > 0 && { ignored }) }),
        }
        if (!dryRun) await saveProgress(db, source, fingerprint.sha256, booked, next)
      },
      { dryRun },
    )
    booked = next
    progress?.(booked, fingerprint.size)
    if (end.problem) throw end.problem
  }
}

/** The file of a dry run, which has no row. */
const dryRunFile = ({
  bytes,
  lines,
}: Header): Pick<ReportFileRow, 'id' | 'report_id' | 'read_bytes' | 'read_lines' | 'counts'> => ({
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
  /** Where the next line begins. `problem`: why it cannot be read. */
  end: { bytes: number; lines: number; problem?: UnreadableReport }
}

/**
 * The lines after the file's progress, in batches. If a line cannot be read, the lines before it come as a
 * batch with the problem.
 */
async function* batches(
  path: string,
  { report }: ReportSource,
  header: Header,
  file: Pick<ReportFileRow, 'id' | 'report_id' | 'read_bytes' | 'read_lines'>,
): AsyncGenerator<Batch> {
  const read = lineReader(report, header.columns)
  const start = { bytes: file.read_bytes, lines: file.read_lines }
  const emptyBatch = (end: Batch['end']): Batch => ({ lines: [], read: 0, ignored: 0, end })
  const keysOf = keyMaker(report, header.columns)
  let batch = emptyBatch(start)
  try {
    // the keys of lines without ids count equal lines, so those are read from the top of the file
    for await (const { cells, bytes, lines } of records(
      path,
      report.delimiter,
      report.columns.line === undefined ? header : start,
    )) {
      const result = read(cells)
      const keys = 'line' in result ? keysOf(result.line.id, cells) : null
      if (bytes <= start.bytes) continue
      batch.read += 1
      batch.end = { bytes, lines }
      if ('ignored' in result) batch.ignored += 1
      else
        batch.lines.push({
          ...(keys ?? { key: lineKey('malformed', ...cells), formerKey: null }),
          reportId: file.report_id,
          fileId: file.id,
          number: lines,
          text: cells.join(report.delimiter),
          line: 'line' in result ? result.line : null,
        })
      if (batch.read < BATCH) continue
      yield batch
      batch = emptyBatch(batch.end)
    }
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error
    batch.end.problem = error
    yield batch
    return
  }
  if (batch.read > 0) yield batch
}
