import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { shownBin } from '../vault/cards/card.ts'
import { readChangedPayments, readHours, readProgress, type TimeRange } from './columns/column.store.ts'
import { type Cell, type CodedColumn, unpackCodes, unpackNumbers } from './columns/packed-column.ts'
import { type ColumnName, floorHour, HOUR_MS, type PackedHour, positionOf } from './columns/packed-hour.ts'
import { AUTHORIZED, type PaymentFacts, populationBits } from './columns/payment-facts.ts'
import type { DimensionName } from './dimension.ts'
import type { Population } from './measure.ts'

/** Only payments with one of these values count; null stands for payments without a value. */
export interface Filter {
  name: DimensionName
  values: readonly (string | null)[]
}

export interface TallyQuery {
  account: string
  population: Population
  /** When the payments were created. */
  span: TimeRange
  filters: readonly Filter[]
  /** Groups by the values of this dimension; absent: groups by `bucket`. */
  by?: DimensionName
  /** Groups by parts of the span of this length, in milliseconds, from its beginning; absent: one group. */
  bucket?: number
  /** Whether to add up amounts, too. */
  withVolume: boolean
}

export interface Sum {
  /** The number of processed payments. */
  transactions: number
  authorized: number
  /** The amounts of authorized payments, in the smallest unit; 0 without `withVolume`. */
  volume: number
}

/** The sums by value, or by the number of the bucket as text. Payments without a value are under null. */
export type Tally = Map<string | null, Sum>

const PAGE = 5_000
/** Hours with payments that one statement reads. */
const STEP = 240

/**
 * Adds up payments from the columns. Payments that may have changed since the columns were updated are
 * counted from their rows instead. Each payment counts once, as it was at some moment during this call.
 * Requests of this process get their turn after each hour.
 */
export async function tally({ db }: { db: Kysely<Tables> }, query: TallyQuery): Promise<Tally> {
  const sums: Tally = new Map()
  const changed = await countChanged(db, query, sums)
  const { account, span } = query
  const columns = columnsFor(query, changed)
  const read = (from: number) => readHours(db, account, { from, to: span.to, limit: STEP }, ...columns)
  for (let next: ReturnType<typeof read> | undefined = read(floorHour(span.from)); next; ) {
    const hours: Map<number, PackedHour> = await next
    // the next hours are read while these are added up
    next = hours.size < STEP ? undefined : read(Math.max(...hours.keys()) + HOUR_MS)
    next?.catch(() => undefined)
    for (const [start, hour] of hours) {
      addHour(query, start, hour, changed.get(start) ?? [], sums)
      await nextTurn()
    }
  }
  return sums
}

const dimensionsOf = ({ filters, by }: TallyQuery): DimensionName[] => [
  ...new Set([...filters.map(({ name }) => name), ...(by ? [by] : [])]),
]

/** The ids of changed payments, by the hour of their creation. */
type Changed = Map<number, Buffer[]>

async function countChanged(db: Kysely<Tables>, query: TallyQuery, sums: Tally): Promise<Changed> {
  const { account, span } = query
  const names = dimensionsOf(query)
  const changed: Changed = new Map()
  const counted = new Set<string>()
  let after = await readProgress(db, account)
  for (let more = true; more; ) {
    const page = await readChangedPayments(db, { account, after, created: span, names, limit: PAGE })
    for (const { payment } of page) {
      // a payment with several events is on several pages
      if (!payment || counted.has(payment.id)) continue
      counted.add(payment.id)
      const start = floorHour(payment.created)
      const ids = changed.get(start) ?? []
      ids.push(Buffer.from(payment.id, 'hex'))
      changed.set(start, ids)
      addPayment(query, names, payment, sums)
    }
    after = page.at(-1)?.position ?? after
    more = page.length === PAGE
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
  for (const key of keys)
    add(sums, key, 1, payment.counted & AUTHORIZED ? 1 : 0, withVolume ? payment.amount : 0)
}

const isMatch = (cell: Cell, values: readonly (string | null)[]): boolean =>
  keysOf(cell).some((key) => values.includes(key))
const keysOf = (cell: Cell): (string | null)[] =>
  cell === null || typeof cell === 'string' ? [cell] : typeof cell === 'number' ? [String(cell)] : [...cell]
const bucketOf = ({ from }: TimeRange, bucket: number | undefined, ms: number) =>
  String(bucket === undefined ? 0 : Math.floor((ms - from) / bucket))

function add(sums: Tally, key: string | null, transactions: number, authorized: number, volume: number) {
  const sum = sums.get(key)
  if (sum) {
    sum.transactions += transactions
    sum.authorized += authorized
    sum.volume += volume
  } else sums.set(key, { transactions, authorized, volume })
}

/**
 * The columns that the query needs. Times are read only of hours that are partly in the span or in a bucket,
 * ids only of hours with changed payments.
 */
function columnsFor(
  query: TallyQuery,
  changed: Changed,
): [names: ColumnName[], rare: Partial<Record<ColumnName, number[]>>] {
  const { span, bucket, withVolume } = query
  const edges = [span.from, span.to - 1]
  if (bucket !== undefined)
    for (let edge = span.from + bucket; edge < span.to; edge += bucket) edges.push(edge)
  const partialHours = [...new Set(edges.map(floorHour))].filter((start) => isPartial(query, start))
  return [
    ['counted', ...(withVolume ? (['amount'] as const) : []), ...dimensionsOf(query)],
    { created: partialHours, id: [...changed.keys()] },
  ]
}

/** Whether payments of this hour belong to different buckets, or some are outside the span. */
const isPartial = ({ span, bucket }: TallyQuery, start: number) =>
  start < span.from ||
  start + HOUR_MS > span.to ||
  bucketOf(span, bucket, start) !== bucketOf(span, bucket, start + HOUR_MS - 1)

function addHour(
  query: TallyQuery,
  start: number,
  hour: PackedHour,
  changed: readonly Buffer[],
  sums: Tally,
) {
  const { span, bucket, by, withVolume } = query
  const marks = countMarks(query, hour)
  if (!marks) return
  for (const id of changed) {
    const at = hour.id ? positionOf(hour.id, id) : -1
    if (at >= 0) marks[at] = 0
  }
  const created = hour.created ? unpackNumbers(hour.created, marks.length) : undefined
  if (created)
    for (let at = 0; at < marks.length; at++) if (!isWithin(span, start + (created[at] ?? 0))) marks[at] = 0
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
    if (transactions[group])
      for (const key of keysOf(cell))
        add(sums, key, transactions[group] ?? 0, authorized[group] ?? 0, volume?.[group] ?? 0)
}

const COUNTS = 1
const COUNTS_AUTHORIZED = 3

const isWithin = ({ from, to }: TimeRange, ms: number) => ms >= from && ms < to

/**
 * For each payment of the hour 0, `COUNTS` or `COUNTS_AUTHORIZED`. Undefined: no payment of the hour counts.
 */
function countMarks({ population, filters }: TallyQuery, hour: PackedHour): Uint8Array | undefined {
  const counted = columnOf(hour, 'counted')
  if (!counted) return undefined
  const bit = populationBits[population]
  const marksByCode = Uint8Array.from(
    counted.values.map((bits) =>
      Number(bits) & bit ? (Number(bits) & AUTHORIZED ? COUNTS_AUTHORIZED : COUNTS) : 0,
    ),
  )
  const marks = new Uint8Array(counted.codes.length)
  for (let at = 0; at < marks.length; at++) marks[at] = marksByCode[counted.codes[at] ?? 0] ?? 0
  for (const { name, values } of filters) {
    const column = columnOf(hour, name)
    const kept = Uint8Array.from(
      column?.values.map((cell) => (isMatch(cell, values) ? COUNTS_AUTHORIZED : 0)) ?? [],
    )
    if (!column || !kept.includes(COUNTS_AUTHORIZED)) return undefined
    if (kept.includes(0))
      for (let at = 0; at < marks.length; at++)
        marks[at] = (marks[at] ?? 0) & (kept[column.codes[at] ?? 0] ?? 0)
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

/** Hours that an earlier version has packed have eight digits, but answers show six. */
const firstDigits = (bin: Cell): Cell => (typeof bin === 'string' ? shownBin(bin) : bin)

/** The buckets of an hour's payments, as a coded column. */
function partsOf(
  start: number,
  count: number,
  created: Float64Array | undefined,
  span: TimeRange,
  bucket: number | undefined,
): CodedColumn {
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
