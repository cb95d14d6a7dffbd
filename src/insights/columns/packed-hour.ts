import { setImmediate as breathe } from 'node:timers/promises'
import { dimensionNames } from '../dimension.ts'
import { type Cell, type CodedColumn, cellAt, packCodes, packNumbers, unpackCodes, unpackNumbers } from './packed-column.ts'
import type { PaymentFacts } from './payment-facts.ts'

/** The columns of an hour: the ids, `created` (milliseconds into the hour), `amount`, what it counts for, and the dimensions. */
export const columnNames = ['id', 'created', 'amount', 'counted', ...dimensionNames] as const
export type ColumnName = (typeof columnNames)[number]
export type PackedHour = Readonly<Partial<Record<ColumnName, Buffer | null>>>
export type CompleteHour = Readonly<Record<ColumnName, Buffer>>

export const HOUR_MS = 3_600_000
/** When the hour of this time begins; both in milliseconds since 1970. */
export const floorHour = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS
const ID_BYTES = 16

const codedNames = ['counted', ...dimensionNames] as const

/** Where a payment stands in the columns of its hour, which are in the order of ids; below 0: nowhere. */
export function positionOf(ids: Buffer, id: Buffer): number {
  let low = 0
  let high = ids.length / ID_BYTES - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const order = ids.compare(id, 0, ID_BYTES, middle * ID_BYTES, (middle + 1) * ID_BYTES)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Which of these payments the hour has not, or has otherwise. Most changes of a payment, a capture or a refund, say nothing new here. */
export function newOrChanged(hour: PackedHour, payments: readonly PaymentFacts[]): PaymentFacts[] {
  const { id: ids, amount } = hour
  if (!ids || !amount) return [...payments]
  const amounts = unpackNumbers(amount, ids.length / ID_BYTES)
  const cells = codedNames.map((name) => (hour[name] ? cellAt(hour[name]) : () => null))
  return payments.filter((payment) => {
    const position = positionOf(ids, Buffer.from(payment.id, 'hex'))
    if (position < 0 || amounts[position] !== payment.amount) return true
    return cells.some((cell, index) => keyOf(cell(position)) !== keyOf(cellOf(payment, index)))
  })
}

/** The hour with these payments, in place of what it had of them. Others have their turn after each column: a busy hour has a million payments. */
export async function withPayments(hour: PackedHour, payments: readonly PaymentFacts[]): Promise<CompleteHour> {
  const ids = hour.id ?? Buffer.alloc(0)
  const places = mergedPositions(ids, payments)
  const numbers = (packed: Buffer | null | undefined, of: (payment: PaymentFacts) => number) => {
    const before = packed ? unpackNumbers(packed, ids.length / ID_BYTES) : new Float64Array()
    const after = new Float64Array(places.length)
    for (let at = 0; at < places.length; at++) {
      const place = places[at] ?? 0
      const payment = payments[~place]
      after[at] = place >= 0 ? (before[place] ?? 0) : payment ? of(payment) : 0
    }
    return packNumbers(after)
  }
  const coded: [string, Buffer][] = []
  for (const [index, name] of codedNames.entries()) {
    const before = hour[name] ? unpackCodes(hour[name]) : { values: [], codes: new Uint8Array() }
    const given = payments.map((payment) => cellOf(payment, index))
    coded.push([name, packCodes(mergedCodes(before, places, given))])
    await breathe()
  }
  const id = mergedIds(ids, places, payments)
  await breathe()
  const created = numbers(hour.created, (payment) => payment.created % HOUR_MS)
  await breathe()
  return {
    id,
    created,
    amount: numbers(hour.amount, ({ amount }) => amount),
    ...(Object.fromEntries(coded) as Record<(typeof codedNames)[number], Buffer>),
  }
}

function mergedIds(before: Buffer, places: Int32Array, payments: readonly PaymentFacts[]): Buffer {
  const ids = Buffer.alloc(places.length * ID_BYTES)
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? 0
    if (place >= 0) before.copy(ids, at * ID_BYTES, place * ID_BYTES, (place + 1) * ID_BYTES)
    else ids.write(payments[~place]?.id ?? '', at * ID_BYTES, 'hex')
  }
  return ids
}

const cellOf = (payment: PaymentFacts, index: number): Cell => (index === 0 ? payment.counted : (payment.cells[index - 1] ?? null))
/** Equal for equal cells of a column. */
const keyOf = (cell: Cell): string | number | null => (typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell)

/** For each payment afterwards, in the order of ids, where it is: its place in the hour before, or `~index` of those given. */
function mergedPositions(ids: Buffer, payments: readonly PaymentFacts[]): Int32Array {
  const given = payments.map(({ id }, index) => ({ id: Buffer.from(id, 'hex'), index })).sort((a, b) => a.id.compare(b.id))
  const before = ids.length / ID_BYTES
  const places = new Int32Array(before + given.length)
  let count = 0
  let next = 0
  for (let place = 0; place < before; place++) {
    let replaced = false
    for (let entry = given[next]; entry; entry = given[++next]) {
      const order = ids.compare(entry.id, 0, ID_BYTES, place * ID_BYTES, (place + 1) * ID_BYTES)
      if (order < 0) break
      places[count++] = ~entry.index
      replaced ||= order === 0
    }
    if (!replaced) places[count++] = place
  }
  for (const { index } of given.slice(next)) places[count++] = ~index
  return places.subarray(0, count)
}

/** Values that no payment has any more are forgotten. */
function mergedCodes(before: CodedColumn, places: Int32Array, given: readonly Cell[]): CodedColumn {
  const values: Cell[] = []
  const known = new Map<ReturnType<typeof keyOf>, number>()
  const codeOf = (cell: Cell): number => {
    const key = keyOf(cell)
    const there = known.get(key)
    if (there !== undefined) return there
    known.set(key, values.length)
    return values.push(cell) - 1
  }
  const moved = new Int32Array(before.values.length).fill(-1)
  const codes = new Uint32Array(places.length)
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? 0
    const old = before.codes[place] ?? 0
    if (place < 0) codes[at] = codeOf(given[~place] ?? null)
    else {
      if (moved[old] === -1) moved[old] = codeOf(before.values[old] ?? null)
      codes[at] = moved[old] ?? 0
    }
  }
  return { values, codes }
}
