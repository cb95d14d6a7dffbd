import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ingested, type IngestOptions, ingestReport, type ReportSource } from '../../../src/reconciliation/ingest.ts'
import { reportFormats, reportSources } from '../../../src/reconciliation/report-source.ts'
import type { TestRailyard } from '../railyard.ts'

export const DAY_MS = 86_400_000

/** A payment service of a merchant, as a report is read for it. */
export async function sourceOf({ world }: TestRailyard, account: string, service: string): Promise<ReportSource> {
  const sources = await reportSources(world, reportFormats(world.connectors), account)
  const source = sources.find((each) => each.service === service)
  if (!source) throw new Error(`no reports of ${service}`)
  return source
}

/** What the sandbox's card provider writes in its report by now. */
export async function cardReport({ simulatorUrl }: TestRailyard, service: string): Promise<string> {
  const answer = await fetch(`${simulatorUrl}/card/${service}/reports/settlement.csv`, { headers: { 'x-merchant-id': 'test' } })
  return answer.text()
}

/** Reads such a file, which is gone afterwards. */
export async function readReport(
  { world }: TestRailyard,
  source: ReportSource,
  content: string | Buffer,
  options: IngestOptions = {},
): Promise<Ingested> {
  const folder = await mkdtemp(join(tmpdir(), 'railyard-report-'))
  try {
    const file = join(folder, options.name ?? 'report.csv')
    await writeFile(file, content)
    return await ingestReport(world, source, file, options)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The lines below the header, as cells by their columns' names; of a report without quotation marks. */
export function cellsOf(report: string): Record<string, string>[] {
  const [header = '', ...lines] = report.trim().split('\n')
  const columns = header.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])))
}

/** The same as a file again. */
export const reportOf = (lines: readonly Record<string, string>[]): string =>
  [Object.keys(lines[0] ?? {}), ...lines.map((line) => Object.values(line))].map((cells) => `${cells.join(',')}\n`).join('')
