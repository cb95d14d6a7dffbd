import { setImmediate as breathe } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { shownBin } from '../vault/cards/card.ts'
import { readChangedPayments, readHours, readProgress, type TimeRange } from './columns/column.store.ts'
import { type Cell, type CodedColumn, unpackCodes, unpackNumbers } from './columns/packed-column.ts'
import { type ColumnName, floorHour, HOUR_MS, type PackedHour, positionOf } from './columns/packed-hour.ts'
import { AUTHORIZED, type PaymentFacts, populationBits } from './columns/payment-facts.ts'
import type { DimensionName } from './dimension.ts'
import type { Population } from './measure.ts'

/** A payment counts where it has one of these values; null stands for none. */
export interface Filter {
  name: DimensionName
  values: readonly (string | null)[]
}

export interface TallyQuery {
  account: string
  population: Population
  /** Of the payments' creation. */
  span: TimeRange
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
/** Hours with payments that are read at once. */
const STEP = 240

/**
 * Adds up payments: from the columns, and in place of what those say of them, from the rows of payments that may have changed since. Each payment is
 * counted once, as it was at some moment while the question was answered. It lets others have their turn after each hour.
 */
export async function tally({ db }: { db: Kysely<Tables> }, question: TallyQuery): Promise<Tally> {
  const sums: Tally = new Map()
  const changed = await countChanged(db, question, sums)
  const { account, span } = question
  const columns = columnsFor(question, changed)
  const read = (from: number) => readHours(db, account, { from, to: span.to, limit: STEP }, ...columns)
  for (let next: ReturnType<typeof read> | undefined = read(floorHour(span.from)); next; ) {
    const hours: Map<number, PackedHour> = await next
    // the following ones are read while these are added up
    next = hours.size < STEP ? undefined : read(Math.max(...hours.keys()) + HOUR_MS)
    next?.catch(() => undefined)
    for (const [start, hour] of hours) {
      addHour(question, start, hour, changed.get(start) ?? [], sums)
      await breathe()
    }
  }
  return sums
}

const namesOf = ({ filters, by }: TallyQuery): DimensionName[] => [...new Set([...filters.map(({ name }) => name), ...(by ? [by] : [])])]

/** Hours with changed payments, and the ids of those. */
type Changed = Map<number, Buffer[]>

async function countChanged(db: Kysely<Tables>, question: TallyQuery, sums: Tally): Promise<Changed> {
  const { account, span } = question
  const names = namesOf(question)
  const changed: Changed = new Map()
  const seen = new Set<string>()
  let after = await readProgress(db, account)
  for (let more = true; more; ) {
    const told = await readChangedPayments(db, { account, after, created: span, names, limit: PAGE })
    for (const { payment } of told) {
      // one that is told of again comes again on a later page
      if (!payment || seen.has(payment.id)) continue
      seen.add(payment.id)
      const start = floorHour(payment.created)
      const ids = changed.get(start) ?? []
      ids.push(Buffer.from(payment.id, 'hex'))
      changed.set(start, ids)
      addPayment(question, names, payment, sums)
    }
    after = told.at(-1)?.position ?? after
    more = told.length === PAGE
  }
  return changed
}

function addPayment(
  { population, span, filters, by, bucket, withVolume }: TallyQuery,
  names: readonly DimensionName[],
  payment: PaymentFacts,
  sums: Tally,
) {
  const cellOf = (name: DimensionName) => payment.cells[names.indexOf(name)] ?? null
  if (!(payment.counted & populationBits[population])) return
  if (!filters.every(({ name, values }) => isMatch(cellOf(name), values))) return
  const keys = by ? keysOf(cellOf(by)) : [bucketOf(span, bucket, payment.created)]
  for (const key of keys) add(sums, key, 1, payment.counted & AUTHORIZED ? 1 : 0, withVolume ? payment.amount : 0)
}

const isMatch = (cell: Cell, values: readonly (string | null)[]): boolean => keysOf(cell).some((key) => values.includes(key))
const keysOf = (cell: Cell): (string | null)[] =>
  cell === null || typeof cell === 'string' ? [cell] : typeof cell === 'number' ? [String(cell)] : [...cell]
const bucketOf = ({ from }: TimeRange, bucket: number | undefined, ms: number) => String(bucket === undefined ? 0 : Math.floor((ms - from) / bucket))

function add(sums: Tally, key: string | null, transactions: number, authorized: number, volume: number) {
  const sum = sums.get(key)
  if (sum) {
    sum.transactions += transactions
    sum.authorized += authorized
    sum.volume += volume
  } else sums.set(key, { transactions, authorized, volume })
}

/** Which columns are read; times and ids only of hours that need them. */
function columnsFor(question: TallyQuery, changed: Changed): [names: ColumnName[], rare: Partial<Record<ColumnName, number[]>>] {
  const { span, bucket, withVolume } = question
  const edges = [span.from, span.to - 1]
  if (bucket !== undefined) for (let edge = span.from + bucket; edge < span.to; edge += bucket) edges.push(edge)
  const cut = [...new Set(edges.map(floorHour))].filter((start) => isPartial(question, start))
  return [['counted', ...(withVolume ? (['amount'] as const) : []), ...namesOf(question)], { created: cut, id: [...changed.keys()] }]
}

/** Whether payments of this hour belong to different parts of the span, or not to it. */
const isPartial = ({ span, bucket }: TallyQuery, start: number) =>
  start < span.from || start + HOUR_MS > span.to || bucketOf(span, bucket, start) !== bucketOf(span, bucket, start + HOUR_MS - 1)

function addHour(question: TallyQuery, start: number, hour: PackedHour, changed: readonly Buffer[], sums: Tally) {
  const { span, bucket, by, withVolume } = question
  const marks = countMarks(question, hour)
  if (!marks) return
  for (const id of changed) {
    const at = hour.id ? positionOf(hour.id, id) : -1
    if (at >= 0) marks[at] = 0
  }
  const created = hour.created ? unpackNumbers(hour.created, marks.length) : undefined
  if (created) for (let at = 0; at < marks.length; at++) if (!isWithin(span, start + (created[at] ?? 0))) marks[at] = 0
  const groups = by ? columnOf(hour, by) : partsOf(start, marks.length, created, span, bucket)
  if (!groups) return
  const { values, codes } = groups
  const transactions = new Uint32Array(values.length)
  const authorized = new Uint32Array(values.length)
  for (let at = 0; at < marks.length; at++) {
    const mark = marks[at] ?? 0
    const group = codes[at] ?? 0
    transactions[group] = (transactions[group] ?? 0) + (mark & COUNTS)
    authorized[group] = (authorized[group] ?? 0) + (mark >> 1)
  }
  const volume = withVolume && hour.amount ? volumeOf(hour.amount, marks, groups) : undefined
  for (const [group, cell] of values.entries())
    if (transactions[group]) for (const key of keysOf(cell)) add(sums, key, transactions[group] ?? 0, authorized[group] ?? 0, volume?.[group] ?? 0)
}

const COUNTS = 1
const COUNTS_AUTHORIZED = 3

const isWithin = ({ from, to }: TimeRange, ms: number) => ms >= from && ms < to

/** For each payment of the hour 0, `COUNTS` or `COUNTS_AUTHORIZED`; undefined: none counts. */
function countMarks({ population, filters }: TallyQuery, hour: PackedHour): Uint8Array | undefined {
  const counted = columnOf(hour, 'counted')
  if (!counted) return undefined
  const bit = populationBits[population]
  const worth = Uint8Array.from(counted.values.map((bits) => (Number(bits) & bit ? (Number(bits) & AUTHORIZED ? COUNTS_AUTHORIZED : COUNTS) : 0)))
  const marks = new Uint8Array(counted.codes.length)
  for (let at = 0; at < marks.length; at++) marks[at] = worth[counted.codes[at] ?? 0] ?? 0
  for (const { name, values } of filters) {
    const column = columnOf(hour, name)
    const kept = Uint8Array.from(column?.values.map((cell) => (isMatch(cell, values) ? COUNTS_AUTHORIZED : 0)) ?? [])
    if (!column || !kept.includes(COUNTS_AUTHORIZED)) return undefined
    if (kept.includes(0)) for (let at = 0; at < marks.length; at++) marks[at] = (marks[at] ?? 0) & (kept[column.codes[at] ?? 0] ?? 0)
  }
  return marks
}

function volumeOf(packed: Buffer, marks: Uint8Array, { values, codes }: CodedColumn): Float64Array {
  const amounts = unpackNumbers(packed, marks.length)
  const volume = new Float64Array(values.length)
  for (let at = 0; at < marks.length; at++) {
    const group = codes[at] ?? 0
    if (marks[at]) volume[group] = (volume[group] ?? 0) + (amounts[at] ?? 0)
  }
  return volume
}

const columnOf = (hour: PackedHour, name: 'counted' | DimensionName): CodedColumn | undefined => {
  const packed = hour[name]
  if (!packed) return undefined
  const column = unpackCodes(packed)
  return name === 'payment_method_bin' ? { ...column, values: column.values.map(firstDigits) } : column
}

/** Hours that were packed before answers showed six digits have eight. */
const firstDigits = (bin: Cell): Cell => (typeof bin === 'string' ? shownBin(bin) : bin)

/** The parts of the span as a column. */
function partsOf(start: number, count: number, created: Float64Array | undefined, span: TimeRange, bucket: number | undefined): CodedColumn {
  const first = Number(bucketOf(span, bucket, Math.max(start, span.from)))
  if (!created || bucket === undefined) return { values: [String(first)], codes: new Uint8Array(count) }
  const codes = new Uint32Array(count)
  let parts = 1
  for (let at = 0; at < count; at++) {
    const part = Math.max(0, Math.floor((start + (created[at] ?? 0) - span.from) / bucket) - first)
    codes[at] = part
    parts = Math.max(parts, part + 1)
  }
  return { values: Array.from({ length: parts }, (_, index) => String(first + index)), codes }
}
