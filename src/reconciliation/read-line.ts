import currencyCodes from 'currency-codes'
import { DateTime } from 'luxon'
import { isCalendarDay, isStorable } from '../api/server/validation.ts'
import type {
  ReportColumns,
  ReportLineKind,
  SettlementReport,
} from '../connectors/contract/settlement-report.ts'
import type { ReportLine } from './report-line.ts'

/** The result of reading a line. `malformed` names the column and its problem. */
export type ReadLine = { line: ReportLine } | { ignored: true } | { malformed: string }

/** A cell that cannot be read; the message names its column. */
class Malformed extends Error {}

type Cell = (column: keyof ReportColumns) => string

/** Reads the lines below `header`, which has every declared column (`missingColumns`). */
export function lineReader(
  report: SettlementReport,
  header: readonly string[],
): (cells: readonly string[]) => ReadLine {
  const indexes = new Map(
    Object.entries(report.columns).map(([column, name]) => [column, header.indexOf(name)]),
  )
  const dates = dateReader(report.dates)
  return (cells) => {
    if (cells.length !== header.length)
      return { malformed: `${cells.length} cells, and the header has ${header.length}` }
    const cell: Cell = (column) => cells[indexes.get(column) ?? -1]?.trim() ?? ''
    const kind = Object.hasOwn(report.kinds, cell('kind')) ? report.kinds[cell('kind')] : undefined
    if (kind === 'ignored') return { ignored: true }
    try {
      if (kind === undefined) throw new Malformed(`${report.columns.kind}: unknown word`)
      return { line: readLine(report, kind, cell, dates) }
    } catch (error) {
      if (error instanceof Malformed) return { malformed: error.message }
      throw error
    }
  }
}

/** The declared columns that a header lacks. */
export const missingColumns = ({ columns }: SettlementReport, header: readonly string[]): string[] =>
  Object.values(columns).filter((name) => !header.includes(name))

function readLine(
  report: SettlementReport,
  kind: ReportLineKind,
  cell: Cell,
  dates: (text: string) => string | undefined,
): ReportLine {
  const { columns, amounts, signs } = report
  const malformed = (column: keyof ReportColumns, problem: string) =>
    new Malformed(`${columns[column] ?? column}: ${problem}`)
  const reference = (column: 'line' | 'payment' | 'refund') => {
    const text = cell(column)
    if (text === '') throw malformed(column, 'empty')
    if (text.length > MAX_REFERENCE_LENGTH || !isStorable(text) || text.includes('\uFFFD'))
      throw malformed(column, 'no id')
    return text
  }
  const currencyOf = (column: 'grossCurrency' | 'currency') => {
    const code = cell(column)
    const digits = digitsOf(code)
    if (digits === undefined) throw malformed(column, 'no currency')
    return { code, digits }
  }
  const amount = (column: keyof ReportColumns, digits: number) => {
    const value = readAmount(cell(column), amounts, digits)
    if (value === undefined) throw malformed(column, 'no amount of this currency')
    return value
  }
  const gross = currencyOf('grossCurrency')
  const settled = currencyOf('currency')
  // in a signed report the merchant's income is positive; charges and fees are negative
  const sign = signs === 'signed' && !isCredit(kind) ? -1 : 1
  const fee = (column: 'commission' | 'interchange' | 'markup' | 'schemeFee') =>
    columns[column] === undefined || cell(column) === ''
      ? null
      : (signs === 'signed' ? -1 : 1) * amount(column, settled.digits) || 0
  const grossAmount = sign * amount('gross', gross.digits)
  if (grossAmount <= 0) throw malformed('gross', `not above 0, for ${kind}`)
  const postedAt = dates(cell('postedAt'))
  if (postedAt === undefined) throw malformed('postedAt', 'no time')
  return {
    id: columns.line === undefined ? null : reference('line'),
    kind,
    payment: reference('payment'),
    refund: kind === 'refund-settlement' ? reference('refund') : null,
    gross: grossAmount,
    grossCurrency: gross.code,
    net: sign * amount('net', settled.digits) || 0,
    currency: settled.code,
    exchangeRate: readRate(cell('exchangeRate'), amounts, () => malformed('exchangeRate', 'no rate')),
    commission: fee('commission') ?? 0,
    interchange: fee('interchange'),
    markup: fee('markup'),
    schemeFee: fee('schemeFee'),
    postedAt,
  }
}

const MAX_REFERENCE_LENGTH = 200

export const isCredit = (kind: ReportLineKind): boolean =>
  kind === 'settlement' || kind === 'chargeback-reversal'

const digitsByCurrency = new Map<string, number | undefined>()

/** The number of decimal places of a currency; undefined: there is no such currency. */
export function digitsOf(currency: string): number | undefined {
  if (!digitsByCurrency.has(currency) && /^[A-Z]{3}$/.test(currency))
    digitsByCurrency.set(currency, currencyCodes.code(currency)?.digits)
  return digitsByCurrency.get(currency)
}

const amountFormats = {
  minor: /^(-?)(\d{1,15})()$/,
  'decimal-point': /^(-?)(\d{1,13})(?:\.(\d+))?$/,
  'decimal-comma': /^(-?)(\d{1,13})(?:,(\d+))?$/,
} as const satisfies Record<SettlementReport['amounts'], RegExp>

/** An amount in the smallest unit; undefined: the text is no number, or finer than that unit. */
function readAmount(text: string, format: SettlementReport['amounts'], digits: number): number | undefined {
  const match = amountFormats[format].exec(text)
  if (!match) return undefined
  const [, minus, units = '', fraction = ''] = match
  const places = format === 'minor' ? 0 : digits
  if (/[1-9]/.test(fraction.slice(places))) return undefined
  const amount = Number(`${units}${fraction.slice(0, places).padEnd(places, '0')}`)
  if (!Number.isSafeInteger(amount)) return undefined
  return minus && amount !== 0 ? -amount : amount
}

function readRate(text: string, format: SettlementReport['amounts'], problem: () => Error): number | null {
  if (text === '') return null
  const rate = /^\d{1,9}([.,]\d{1,12})?$/.test(text)
    ? Number(format === 'decimal-comma' ? text.replace(',', '.') : text)
    : Number.NaN
  if (!(rate > 0)) throw problem()
  return rate
}

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/

/** Reads times, and remembers the last one: neighbouring lines often have the same time. */
function dateReader(dates: SettlementReport['dates']): (text: string) => string | undefined {
  let last: { text: string; time: string | undefined } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, time: readTime(text, dates) }
    return last.time
  }
}

function readTime(text: string, dates: SettlementReport['dates']): string | undefined {
  if (dates === 'iso' && !(isoTime.test(text) && isCalendarDay(text.slice(0, 10)))) return undefined
  const time =
    dates === 'iso'
      ? new Date(text).getTime()
      : DateTime.fromFormat(text, dates.format, { zone: dates.zone, locale: 'en' }).toMillis()
  return time >= EARLIEST && time <= LATEST ? new Date(time).toISOString() : undefined
}

const EARLIEST = Date.UTC(1970, 0)
const LATEST = Date.UTC(9999, 0)
