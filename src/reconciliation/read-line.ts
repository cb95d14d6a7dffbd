import currencyCodes from 'currency-codes'
import { DateTime } from 'luxon'
import { isCalendarDay, isStorable } from '../api/server/validation.ts'
import type {
  AmountColumns,
  ReportLineKind,
  SettlementReport,
} from '../connectors/contract/settlement-report.ts'
import type { ReportLine } from './report-line.ts'

/** The result of reading a line. `malformed` names the column and its problem. */
export type ReadLine = { line: ReportLine } | { ignored: true } | { malformed: string }

/** A cell that cannot be read; the message names its column. */
class Malformed extends Error {}

/** The cell below a name of the header; empty if there is none. */
type Cell = (name: string | undefined) => string

/** Reads the lines below `header`, which has every declared column (`missingColumns`). */
export function lineReader(
  report: SettlementReport,
  header: readonly string[],
): (cells: readonly string[]) => ReadLine {
  // of two columns with one name the first one counts
  const indexes = new Map(header.map((name, index) => [name, index] as const).toReversed())
  const dates = dateReader(report.dates)
  return (cells) => {
    if (cells.length !== header.length)
      return { malformed: `${cells.length} cells, and the header has ${header.length}` }
    const cell: Cell = (name) => cells[indexes.get(name ?? '') ?? -1]?.trim() ?? ''
    const word = cell(report.columns.kind)
    const kind = Object.hasOwn(report.kinds, word) ? report.kinds[word] : undefined
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
export const missingColumns = (report: SettlementReport, header: readonly string[]): string[] =>
  columnNames(report).filter((name) => !header.includes(name))

/** The names of a report's columns, each once. */
export function columnNames({ columns, dates }: SettlementReport): string[] {
  const declared = [...Object.values(columns), ...(isZoneNamed(dates) ? [dates.zoneColumn] : [])]
  const names = declared.flatMap((each): readonly string[] =>
    typeof each === 'string' ? [each] : Object.values(each),
  )
  return [...new Set(names)]
}

/** The columns of a file that Railyard writes of the lines that a connector gives. */
export const writtenColumns = (report: SettlementReport): string[] => [
  ...columnNames(report),
  ...(report.identifiers ?? []),
]

/**
 * Reads the cells that say which line it is, in an order that does not depend on the file. A file may lack
 * identifiers.
 */
export function identityReader(
  report: SettlementReport,
  header: readonly string[],
): (cells: readonly string[]) => string[] {
  const indexes = writtenColumns(report)
    .toSorted()
    .map((name) => header.indexOf(name))
  return (cells) => indexes.map((index) => cells[index]?.trim() ?? '')
}

const isZoneNamed = (
  dates: SettlementReport['dates'],
): dates is Extract<SettlementReport['dates'], { zoneColumn: string }> =>
  dates !== 'iso' && 'zoneColumn' in dates

function readLine(
  report: SettlementReport,
  kind: ReportLineKind,
  cell: Cell,
  dates: (text: string, cell: Cell) => string | undefined,
): ReportLine {
  const { columns, amounts, signs } = report
  const malformed = (name: string | undefined, problem: string) =>
    new Malformed(`${name ?? 'a column'}: ${problem}`)
  const reference = (name: string | undefined) => {
    const text = cell(name)
    if (text === '') throw malformed(name, 'empty')
    if (text.length > MAX_REFERENCE_LENGTH || !isStorable(text) || text.includes('\uFFFD'))
      throw malformed(name, 'no id')
    return text
  }
  const currencyOf = (name: string) => {
    const code = cell(name).toUpperCase()
    const digits = digitsOf(code)
    if (digits === undefined) throw malformed(name, 'no currency')
    return { code, digits }
  }
  const amount = (name: string | undefined, digits: number) => {
    const value = readAmount(cell(name), amounts, digits)
    if (value === undefined) throw malformed(name, 'no amount of this currency')
    return value
  }
  const isFilled = (name: string, digits: number) => cell(name) !== '' && amount(name, digits) !== 0
  /** Of two columns: what was received is positive. */
  const balance = (names: AmountColumns, digits: number) => {
    if (typeof names === 'string') return amount(names, digits)
    const { credit, debit } = names
    return isFilled(debit, digits) && !isFilled(credit, digits)
      ? -amount(debit, digits)
      : amount(credit, digits)
  }
  const gross = currencyOf(columns.grossCurrency)
  const settled = currencyOf(columns.currency)
  // in a signed report the merchant's income is positive; charges and fees are negative
  const charged = isCredit(kind) ? 1 : -1
  const sign = signs === 'unsigned' ? 1 : charged
  const netSign = typeof columns.net === 'string' ? sign : charged
  const fee = (name: string | undefined) =>
    name === undefined || cell(name) === ''
      ? null
      : (signs === 'signed' ? -1 : 1) * amount(name, settled.digits) || 0
  const stated = balance(columns.gross, gross.digits)
  const isSignedGross = typeof columns.gross === 'string' && signs !== 'signed-net'
  const grossAmount = isSignedGross ? sign * stated : Math.abs(stated)
  if (grossAmount <= 0) throw malformed(firstOf(columns.gross), `not above 0, for ${kind}`)
  const postedAt = dates(cell(columns.postedAt), cell)
  if (postedAt === undefined) throw malformed(columns.postedAt, 'no time')
  return {
    id: columns.line === undefined ? null : reference(columns.line),
    kind,
    payment: reference(columns.payment),
    refund: kind === 'refund-settlement' ? reference(columns.refund) : null,
    gross: grossAmount,
    grossCurrency: gross.code,
    net: netSign * balance(columns.net, settled.digits) || 0,
    currency: settled.code,
    exchangeRate: readRate(cell(columns.exchangeRate), amounts, () =>
      malformed(columns.exchangeRate, 'no rate'),
    ),
    commission: [columns.commission].flat().reduce((sum, name) => sum + (fee(name) ?? 0), 0),
    interchange: fee(columns.interchange),
    markup: fee(columns.markup),
    schemeFee: fee(columns.schemeFee),
    postedAt,
  }
}

const firstOf = (names: AmountColumns): string => (typeof names === 'string' ? names : names.credit)

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
function dateReader(dates: SettlementReport['dates']): (text: string, cell: Cell) => string | undefined {
  let last: { text: string; zone: string; time: string | undefined } | undefined
  return (text, cell) => {
    const zone = isZoneNamed(dates) ? cell(dates.zoneColumn) : ''
    if (last?.text !== text || last.zone !== zone) last = { text, zone, time: readTime(text, zone, dates) }
    return last.time
  }
}

function readTime(text: string, zone: string, dates: SettlementReport['dates']): string | undefined {
  if (dates === 'iso' && !(isoTime.test(text) && isCalendarDay(text.slice(0, 10)))) return undefined
  const time = dates === 'iso' ? new Date(text).getTime() : millisOf(text, dates.format, zoneOf(zone, dates))
  return time >= EARLIEST && time <= LATEST ? new Date(time).toISOString() : undefined
}

const zoneOf = (named: string, dates: Exclude<SettlementReport['dates'], 'iso'>): string | undefined => {
  if (!isZoneNamed(dates)) return dates.zone
  return Object.hasOwn(dates.zones, named) ? dates.zones[named] : undefined
}

const millisOf = (text: string, format: string, zone: string | undefined): number =>
  zone === undefined ? Number.NaN : DateTime.fromFormat(text, format, { zone, locale: 'en' }).toMillis()

const EARLIEST = Date.UTC(1970, 0)
const LATEST = Date.UTC(9999, 0)
