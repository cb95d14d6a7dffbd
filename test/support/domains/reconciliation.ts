import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connector } from '../../../src/connectors/contract/connector.ts'
import {
  type Ingested,
  type IngestOptions,
  ingestReport,
  type ReportSource,
} from '../../../src/reconciliation/ingest.ts'
import { reportFormats, reportSources } from '../../../src/reconciliation/report-source.ts'
import type { TestRailyard } from '../railyard.ts'
import type { BnplShop } from './bnpl.ts'

export const DAY_MS = 86_400_000

/** A merchant's payment service as the source of its reports. */
export async function sourceOf(
  { world }: TestRailyard,
  account: string,
  service: string,
): Promise<ReportSource> {
  const sources = await reportSources(world, reportFormats(world.connectors), account)
  const source = sources.find((each) => each.service === service)
  if (!source) throw new Error(`no reports of ${service}`)
  return source
}

/** Switches the reports of a shop's pay-later service on. Answers the connector, whose reports a test may replace. */
export async function switchReportsOn(
  { admin, world }: TestRailyard,
  { account, serviceId }: Pick<BnplShop, 'account' | 'serviceId'>,
): Promise<Connector> {
  const { status } = await admin.put(
    `/payment-services/${serviceId}`,
    { settlement_reporting_enabled: true },
    { 'x-svc-merchant-account-id': account },
  )
  const connector = world.connectors.get('bnpl-bnpl')
  if (status !== 200 || !connector) throw new Error(`no reports of ${serviceId}`)
  return connector
}

/** The present settlement report of the sandbox's card provider. */
export async function cardReport({ simulatorUrl }: TestRailyard, service: string): Promise<string> {
  const answer = await fetch(`${simulatorUrl}/card/${service}/reports/settlement.csv`, {
    headers: { 'x-merchant-id': 'test' },
  })
  return answer.text()
}

/** Writes a report to a file, reads it, and deletes the file. */
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

/** The lines of a report without quotation marks, each with its cells by the columns' names. */
export function cellsOf(report: string): Record<string, string>[] {
  const [header = '', ...lines] = report.trim().split('\n')
  const columns = header.split(',')
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, index) => [columns[index] ?? '', cell])),
  )
}

/** The lines as a report with a header. */
export const reportOf = (lines: readonly Record<string, string>[]): string =>
  [Object.keys(lines[0] ?? {}), ...lines.map((line) => Object.values(line))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('')
