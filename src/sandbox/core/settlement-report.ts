import { hash } from 'node:crypto'
import { stringify } from 'csv-stringify/sync'
import currencyCodes from 'currency-codes'
import type { Sandbox } from '../sandbox.ts'
import { type Answer, badRequest, type Incoming, json } from './provider-messages.ts'
import type { ReportFormat } from './report-format.ts'
import { DAY_MS, type SettlementLine, settlementLines } from './settlement-lines.ts'

/**
 * The lines posted between two times, `?from=…&to=…`, without `to` itself; by default all lines. Lines with a
 * later time are in no report.
 */
export function reportAnswer(
  sandbox: Sandbox,
  service: string,
  { query }: Incoming,
  format: ReportFormat,
): Answer {
  const time = (name: string, otherwise: number) =>
    query.has(name) ? Date.parse(query.get(name) ?? '') : otherwise
  const [from, to] = [time('from', 0), time('to', Number.POSITIVE_INFINITY)]
  if (Number.isNaN(from) || Number.isNaN(to)) return badRequest('from and to must be times')
  const lines = settlementLines(sandbox, service, from, Math.min(to, sandbox.clock.now()))
  return {
    status: 200,
    body: formatReport(lines, format),
    headers: { 'content-type': 'text/csv; charset=utf-8' },
  }
}

/** Formats a report. */
export function formatReport(lines: readonly SettlementLine[], { columns, options }: ReportFormat): string {
  const cells = Object.values(columns)
  return stringify([Object.keys(columns), ...lines.map((line) => cells.map((cell) => cell(line)))], {
    ...options,
  })
}

/** The reports of whole days since a time, `?since=…`, except days without lines. */
export function reportListAnswer(
  sandbox: Sandbox,
  service: string,
  { query }: Incoming,
  format: ReportFormat,
): Answer {
  const since = Date.parse(query.get('since') ?? '1970-01-01')
  if (Number.isNaN(since)) return badRequest('since must be a time')
  const today = Math.floor(sandbox.clock.now() / DAY_MS)
  const lines = settlementLines(sandbox, service, Math.floor(since / DAY_MS) * DAY_MS, today * DAY_MS)
  const days = Map.groupBy(lines, ({ postedAt }) => Math.floor(postedAt / DAY_MS))
  const at = (day: number) => new Date(day * DAY_MS).toISOString()
  return json(200, {
    items: [...days].map(([day, lines]) => ({
      name: format.name(at(day).slice(0, 10)),
      path: `${format.path}?from=${at(day)}&to=${at(day + 1)}`,
      version: hash('sha256', formatReport(lines, format)),
    })),
  })
}

/** `1234` EUR → `12.34`. */
export function decimal(amount: number, currency: string, point: '.' | ','): string {
  const digits = currencyCodes.code(currency)?.digits ?? 2
  return (amount / 10 ** digits).toFixed(digits).replace('.', point)
}

export const isCredit = ({ kind }: SettlementLine): boolean =>
  kind === 'settlement' || kind === 'chargeback-reversal'
