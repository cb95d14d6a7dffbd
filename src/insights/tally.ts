import { setImmediate as breathe } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { type ChangePlace, changedPayments, completeUntil, readHours, type Span } from './column.store.ts'
import type { DimensionName } from './dimension.ts'
import type { Population } from './measure.ts'
import type { Cell } from './packed-column.ts'
import { unpackCodes, unpackNumbers } from './packed-column.ts'
import { type ColumnName, HOUR_MS, type PackedHour, positionOf } from './packed-hour.ts'
import { AUTHORIZED, type PaymentFacts, populationBits } from './payment-facts.ts'

/** A payment counts where it has one of these values; null stands for none. */
export interface Filter {
  name: DimensionName
  values: readonly (string | null)[]
}

export interface Question {
  account: string
  population: Population
  /** Of the payments' creation. */
  span: Span
  filters: readonly Filter[]
  /** A sum for each value of this dimension; absent: `bucket` says. */
  by?: DimensionName
  /** A sum for each of these parts of the span, in milliseconds, from its beginning. */
  bucket?: number
  /** Whether amounts are asked for. */
  withVolume: boolean
}

export interface Sum {
  /** Processed ones. */
  transactions: number
  authorized: number
  /** Smallest units, of authorized payments; 0 where it was not asked for. */
  volume: number
}

/** By the value, or the number of the part as text. Payments without a value are under null. */
export type Tally = Map<string | null, Sum>

const PAGE = 5_000
/** Hours that are read at once. */
const STEP = 240

/**
 * Adds up payments: from the columns, and in place of what those say of them, from the rows of payments that may have changed since. Each payment is
 * counted once, as it was at some moment while the question was answered. It lets others have their turn between two steps.
 */
export async function tally({ db }: { db: Kysely<Tables> }, question: Question): Promise<Tally> {
  const sums: Tally = new Map()
  const changed = await countChanged(db, question, sums)
  const { span } = question
  const read = (from: number) =>
    readHours(db, question.account, { from, to: Math.min(from + STEP * HOUR_MS, span.to) }, ...columnsFor(question, from, changed))
  const starts: number[] = []
  for (let from = floorHour(span.from); from < span.to; from += STEP * HOUR_MS) starts.push(from)
  let next = starts[0] === undefined ? undefined : read(starts[0])
  for (const [index] of starts.entries()) {
    const hours = await next
    const following = starts[index + 1]
    // read while these are added up
    next = following === undefined ? undefined : read(following)
    next?.catch(() => undefined)
    for (const [start, hour] of hours ?? []) addHour(question, start, hour, changed.get(start) ?? [], sums)
    await breathe()
  }
  return sums
}

const floorHour = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS
const namesOf = ({ filters, by }: Question): DimensionName[] => [...new Set([...filters.map(({ name }) => name), ...(by ? [by] : [])])]

/** Hours with changed payments, and the ids of those. */
type Changed = Map<number, Buffer[]>

async function countChanged(db: Kysely<Tables>, question: Question, sums: Tally): Promise<Changed> {
  const { account, span } = question
  const names = namesOf(question)
  const since = await completeUntil(db, account)
  const changed: Changed = new Map()
  for (let after: ChangePlace | undefined, more = true; more; ) {
    const payments = await changedPayments(db, { account, since, after, created: span, names, limit: PAGE })
    for (const payment of payments) {
      const start = floorHour(payment.created)
      const ids = changed.get(start) ?? []
      ids.push(Buffer.from(payment.id, 'hex'))
      changed.set(start, ids)
      addPayment(question, names, payment, sums)
    }
    after = payments.at(-1)
    more = payments.length === PAGE
  }
  return changed
}

function addPayment(
  { population, span, filters, by, bucket, withVolume }: Question,
  names: readonly DimensionName[],
  payment: PaymentFacts,
  sums: Tally,
) {
  const cellOf = (name: DimensionName) => payment.cells[names.indexOf(name)] ?? null
  if (!(payment.counted & populationBits[population])) return
  if (!filters.every(({ name, values }) => fits(cellOf(name), values))) return
  const keys = by ? keysOf(cellOf(by)) : [bucketOf(span, bucket, payment.created)]
  for (const key of keys) add(sums, key, 1, payment.counted & AUTHORIZED ? 1 : 0, withVolume ? payment.amount : 0)
}

const fits = (cell: Cell, values: readonly (string | null)[]): boolean => keysOf(cell).some((key) => values.includes(key))
const keysOf = (cell: Cell): (string | null)[] =>
  cell === null || typeof cell === 'string' ? [cell] : typeof cell === 'number' ? [String(cell)] : [...cell]
const bucketOf = ({ from }: Span, bucket: number | undefined, ms: number) => String(bucket === undefined ? 0 : Math.floor((ms - from) / bucket))

function add(sums: Tally, key: string | null, transactions: number, authorized: number, volume: number) {
  const sum = sums.get(key)
  if (sum) {
    sum.transactions += transactions
    sum.authorized += authorized
    sum.volume += volume
  } else sums.set(key, { transactions, authorized, volume })
}

/** Which columns of the hours from `from` on are read; times and ids only of hours that need them. */
function columnsFor(question: Question, from: number, changed: Changed): [names: ColumnName[], rare: Partial<Record<ColumnName, number[]>>] {
  const hours = Array.from({ length: STEP }, (_, index) => from + index * HOUR_MS)
  const rare = {
    created: hours.filter((start) => start < question.span.to && isCut(question, start)),
    id: hours.filter((start) => changed.has(start)),
  }
  return [['counted', ...(question.withVolume ? (['amount'] as const) : []), ...namesOf(question)], rare]
}

/** Whether payments of this hour belong to different parts of the span, or not to it. */
const isCut = ({ span, bucket }: Question, start: number) =>
  start < span.from || start + HOUR_MS > span.to || bucketOf(span, bucket, start) !== bucketOf(span, bucket, start + HOUR_MS - 1)

function addHour(question: Question, start: number, hour: PackedHour, changed: readonly Buffer[], sums: Tally) {
  const { span, bucket, filters, by, population, withVolume } = question
  const counted = columnOf(hour, 'counted')
  if (!counted) return
  const count = counted.codes.length
  const bits = counted.values.map(Number)
  const isIn = Uint8Array.from(counted.codes, (code) => ((bits[code] ?? 0) & populationBits[population] ? 1 : 0))
  for (const { name, values } of filters) {
    const column = columnOf(hour, name)
    const good = Uint8Array.from(column?.values ?? [], (cell) => (fits(cell, values) ? 1 : 0))
    if (!column || !good.includes(1)) return
    if (good.includes(0)) for (let at = 0; at < count; at++) isIn[at] = (isIn[at] ?? 0) & (good[column.codes[at] ?? 0] ?? 0)
  }
  for (const id of changed) {
    const at = positionOf(hour.id ?? Buffer.alloc(0), id)
    if (at >= 0) isIn[at] = 0
  }
  const isCutHour = isCut(question, start)
  const created = isCutHour ? unpackNumbers(hour.created ?? Buffer.alloc(1), count) : undefined
  if (created) for (let at = 0; at < count; at++) if (start + (created[at] ?? 0) < span.from || start + (created[at] ?? 0) >= span.to) isIn[at] = 0
  const amounts = withVolume ? unpackNumbers(hour.amount ?? Buffer.alloc(1), count) : undefined
  const groups = by ? columnOf(hour, by) : bucketsOf(start, count, created, span, bucket)
  if (!groups) return
  const transactions = new Float64Array(groups.values.length)
  const authorized = new Float64Array(groups.values.length)
  const volume = new Float64Array(groups.values.length)
  const isAuthorized = Uint8Array.from(bits, (bit) => (bit & AUTHORIZED ? 1 : 0))
  for (let at = 0; at < count; at++) {
    if (isIn[at] !== 1) continue
    const group = groups.codes[at] ?? 0
    transactions[group] = (transactions[group] ?? 0) + 1
    authorized[group] = (authorized[group] ?? 0) + (isAuthorized[counted.codes[at] ?? 0] ?? 0)
    if (amounts) volume[group] = (volume[group] ?? 0) + (amounts[at] ?? 0)
  }
  for (const [group, cell] of groups.values.entries())
    if (transactions[group]) for (const key of keysOf(cell)) add(sums, key, transactions[group] ?? 0, authorized[group] ?? 0, volume[group] ?? 0)
}

const columnOf = (hour: PackedHour, name: 'counted' | DimensionName) => {
  const packed = hour[name]
  return packed && unpackCodes(packed)
}

/** The parts of the span as a column. */
function bucketsOf(start: number, count: number, created: Float64Array | undefined, span: Span, bucket: number | undefined) {
  const first = bucketOf(span, bucket, Math.max(start, span.from))
  if (!created || bucket === undefined) return { values: [first], codes: new Uint8Array(count) }
  const base = Number(first)
  const codes = Uint16Array.from(created, (ms) => Math.max(0, Math.floor((start + ms - span.from) / bucket) - base))
  const parts = codes.reduce((most, code) => Math.max(most, code), 0) + 1
  return { values: Array.from({ length: parts }, (_, index) => String(base + index)), codes }
}
