import currencyCodes from 'currency-codes'
import { type ReportLines, ReportUnavailable } from '../contract/offered-reports.ts'
import type { SettlementReport } from '../contract/settlement-report.ts'

/**
 * The columns of the lines. Checkout.com's Financial Actions report has a row for each amount that an action
 * consists of, its fees among them, with up to eight decimals.
 */
export const columns = {
  line: 'Action ID',
  kind: 'Kind',
  payment: 'Payment ID',
  refund: 'Action ID',
  gross: 'Gross',
  grossCurrency: 'Processing Currency',
  net: 'Net',
  currency: 'Holding Currency',
  exchangeRate: 'FX Rate Applied',
  commission: 'Fees',
  postedAt: 'Processed On',
} as const satisfies SettlementReport['columns']

type Line = Record<(typeof columns)[keyof typeof columns], string>
type Row = Readonly<Record<string, string>>

/** The kind of an action that settles no payment, such as an authorization with its fees. */
export const feesOnly = 'fees'

/** What a row of an action is, by its breakdown type. */
type Part = 'settlement' | 'refund' | 'dispute' | 'fee' | 'reserve' | 'other'

const partPatterns: readonly (readonly [RegExp, Part])[] = [
  [/^(?:partial )?capture$/i, 'settlement'],
  [/^(?:partial )?refund$/i, 'refund'],
  // a lost arbitration costs a fee; the amount was taken before
  [/^chargeback \(ARBL\)$/i, 'fee'],
  [/^chargeback\b/i, 'dispute'],
  [/\breserve\b|^RR\b/i, 'reserve'],
  [/fee|tax|interchange|scheme/i, 'fee'],
]

const partOf = (breakdown: string): Part =>
  partPatterns.find(([pattern]) => pattern.test(breakdown))?.[1] ?? 'other'

/** The rows of one action, added up. Amounts are exact (`toExact`). */
interface Action {
  type: string
  /** The row with the amount of the payment, refund or dispute; absent: the action has fees alone. */
  settled?: { part: Part; row: Row }
  payment: string
  gross: bigint
  held: bigint
  fees: bigint
  others: bigint
  /** A row has other currencies than the rows before, or an amount that cannot be read. */
  isUnreadable: boolean
  currency: string
}

/**
 * One line for each action, in the order of their first rows: the rows of an action may be apart. It takes some
 * 500 bytes of memory for each action.
 */
export async function* linesOfActions(rows: ReportLines): ReportLines {
  const actions = new Map<string, Action>()
  for await (const row of rows) {
    const id = cell(row, 'Action ID')
    // a row without an action is of no payment
    if (id === '') continue
    const action = actions.get(id) ?? newAction(row)
    actions.set(id, action)
    addRow(action, row)
  }
  for (const [id, action] of actions) yield lineOf(id, action)
}

const cell = (row: Row, name: string): string => row[name]?.trim() ?? ''

/** A cell of a column without which the report is another one. */
function required(row: Row, name: string): string {
  const value = row[name]
  if (value === undefined) throw new ReportUnavailable(`the file lacks the column ${name}`)
  return value.trim()
}

const newAction = (row: Row): Action => ({
  type: cell(row, 'Action Type'),
  payment: '',
  gross: 0n,
  held: 0n,
  fees: 0n,
  others: 0n,
  isUnreadable: false,
  currency: required(row, 'Holding Currency'),
})

function addRow(action: Action, row: Row): void {
  const part = partOf(required(row, 'Breakdown Type'))
  const amount = toExact(required(row, 'Holding Currency Amount'))
  action.payment ||= cell(row, 'Payment ID')
  if (amount === undefined || cell(row, 'Holding Currency') !== action.currency) {
    action.isUnreadable = true
    return
  }
  if (part === 'fee') action.fees += amount
  // what is held back for a time is neither a fee nor lost: its release is an action of its own
  else if (part === 'other') action.others += amount
  else if (part !== 'reserve') addSettled(action, part, row, amount)
}

function addSettled(action: Action, part: Part, row: Row, amount: bigint): void {
  const gross = toExact(required(row, 'Processing Currency Amount'))
  action.settled ??= { part, row }
  const { settled } = action
  const isSame =
    settled.part === part && cell(settled.row, 'Processing Currency') === cell(row, 'Processing Currency')
  if (gross === undefined || !isSame) action.isUnreadable = true
  else action.gross += gross
  action.held += amount
}

/**
 * The amounts are added exactly and rounded once. An amount of a type that is not known is in the net alone, so
 * that the line does not add up, and a person looks at it.
 */
function lineOf(id: string, action: Action): Line {
  const { settled, payment, currency, gross, isUnreadable } = action
  const digits = currencyCodes.code(currency)?.digits ?? 2
  const fees = rounded(action.fees, digits)
  const net = rounded(action.held, digits) + fees + rounded(action.others, digits)
  const row = settled?.row ?? {}
  const processing = cell(row, 'Processing Currency')
  return {
    'Action ID': id,
    Kind: kindOf(action),
    'Payment ID': payment,
    Gross: toText(gross, EXACT_DIGITS),
    'Processing Currency': processing,
    Net: isUnreadable ? '' : toText(net, digits),
    'Holding Currency': currency,
    'FX Rate Applied': processing === currency ? '' : cell(row, 'FX Rate Applied'),
    Fees: toText(-fees, digits),
    'Processed On': timeOf(row),
  }
}

/** An action that moves a payment's money in a way that is not known keeps its type, which no kind has. */
function kindOf({ settled, type, payment, others, gross, isUnreadable }: Action): string {
  if (settled && gross !== 0n) {
    if (settled.part !== 'dispute') return settled.part
    return gross < 0n ? 'chargeback' : 'chargeback reversal'
  }
  const isOfNoPayment = !payment.startsWith('pay_') || /payout|pay to/i.test(type)
  return isOfNoPayment || (others === 0n && !isUnreadable) ? feesOnly : type
}

/** The time in UTC, which is an optional column; else the one of the account's time zone, taken as UTC. */
function timeOf(row: Row): string {
  const time = cell(row, 'Processed On UTC') || cell(row, 'Processed On')
  const [day = '', clock = ''] = time.split(/[T ]/)
  return /(?:Z|[+-]\d{2}:?\d{2})$/.test(clock) ? `${day}T${clock}` : `${day}T${clock}Z`
}

/** The decimals of an exact amount. */
const EXACT_DIGITS = 12

/** A decimal number in units of 10⁻¹²; undefined: it is no such number. */
function toExact(value: string): bigint | undefined {
  const match = /^(-?)(\d{1,15})(?:\.(\d{1,12}))?$/.exec(value)
  if (!match) return undefined
  const [, minus, units = '', fraction = ''] = match
  const amount = BigInt(units + fraction.padEnd(EXACT_DIGITS, '0'))
  return minus ? -amount : amount
}

/** An exact amount in the smallest unit of a currency; half a unit is rounded away from zero. */
function rounded(amount: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(EXACT_DIGITS - digits)
  const half = amount < 0n ? -unit / 2n : unit / 2n
  return (amount + half) / unit
}

function toText(amount: bigint, digits: number): string {
  const sign = amount < 0n ? '-' : ''
  const text = (amount < 0n ? -amount : amount).toString().padStart(digits + 1, '0')
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}
