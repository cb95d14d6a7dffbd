import { setImmediate as nextTurn } from 'node:timers/promises'
import { dimensionNames } from '../dimension.ts'
import {
  type Cell,
  type CodedColumn,
  cellAt,
  packCodes,
  packNumbers,
  unpackCodes,
  unpackNumbers,
} from './packed-column.ts'
import type { PaymentFacts } from './payment-facts.ts'

/**
 * The columns of an hour: the ids, `created` (milliseconds into the hour), `amount`, `counted`
 * (`PaymentFacts.counted`), and the dimensions.
 */
export const columnNames = ['id', 'created', 'amount', 'counted', ...dimensionNames] as const
export type ColumnName = (typeof columnNames)[number]
export type PackedHour = Readonly<Partial<Record<ColumnName, Buffer | null>>>
export type CompleteHour = Readonly<Record<ColumnName, Buffer>>

export const HOUR_MS = 3_600_000
/** The start of the hour of a time; both in milliseconds since 1970. */
export const floorHour = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS

/** The start of the hour in which a payment was created. */
export const hourOf = ({ created }: Pick<PaymentFacts, 'created'>): number => floorHour(created)

const ID_BYTES = 16

const codedNames = ['counted', ...dimensionNames] as const

/**
 * The index of a payment in the columns of its hour, which are in the order of ids; below 0: the hour does
 * not have it.
 */
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

/**
 * The payments that the hour does not have, or has with other values. Most changes of a payment, such as a
 * refund, do not change its values here.
 */
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

/**
 * The hour with these payments added or replaced. Requests get their turn after each column, since a busy
 * hour has a million payments.
 */
export async function withPayments(
  hour: PackedHour,
  payments: readonly PaymentFacts[],
): Promise<CompleteHour> {
  const ids = hour.id ?? Buffer.alloc(0)
  const sources = mergedPositions(ids, payments)
  const numbers = (packed: Buffer | null | undefined, numberOf: (payment: PaymentFacts) => number) => {
    const before = packed ? unpackNumbers(packed, ids.length / ID_BYTES) : new Float64Array()
    const after = new Float64Array(sources.length)
    for (let at = 0; at < sources.length; at++) {
      const source = sources[at] ?? 0
      const payment = payments[~source]
      after[at] = source >= 0 ? (before[source] ?? 0) : payment ? numberOf(payment) : 0
    }
    return packNumbers(after)
  }
  const coded: [string, Buffer][] = []
  for (const [index, name] of codedNames.entries()) {
    const before = hour[name] ? unpackCodes(hour[name]) : { values: [], codes: new Uint8Array() }
    const cells = payments.map((payment) => cellOf(payment, index))
    coded.push([name, packCodes(mergedCodes(before, sources, cells))])
    await nextTurn()
  }
  const id = mergedIds(ids, sources, payments)
  await nextTurn()
  const created = numbers(hour.created, (payment) => payment.created % HOUR_MS)
  await nextTurn()
  return {
    id,
    created,
    amount: numbers(hour.amount, ({ amount }) => amount),
    ...(Object.fromEntries(coded) as Record<(typeof codedNames)[number], Buffer>),
  }
}

function mergedIds(before: Buffer, sources: Int32Array, payments: readonly PaymentFacts[]): Buffer {
  const ids = Buffer.alloc(sources.length * ID_BYTES)
  for (let at = 0; at < sources.length; at++) {
    const source = sources[at] ?? 0
    if (source >= 0) before.copy(ids, at * ID_BYTES, source * ID_BYTES, (source + 1) * ID_BYTES)
    else ids.write(payments[~source]?.id ?? '', at * ID_BYTES, 'hex')
  }
  return ids
}

const cellOf = (payment: PaymentFacts, index: number): Cell =>
  index === 0 ? payment.counted : (payment.cells[index - 1] ?? null)
/** A key that is equal for equal cells of a column. */
const keyOf = (cell: Cell): string | number | null =>
  typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell

/**
 * Where each payment of the new hour comes from, in the order of ids: its index in the old hour, or `~index`
 * in `payments`.
 */
function mergedPositions(ids: Buffer, payments: readonly PaymentFacts[]): Int32Array {
  const entries = payments
    .map(({ id }, index) => ({ id: Buffer.from(id, 'hex'), index }))
    .sort((a, b) => a.id.compare(b.id))
  const before = ids.length / ID_BYTES
  const sources = new Int32Array(before + entries.length)
  let count = 0
  let next = 0
  for (let old = 0; old < before; old++) {
    let replaced = false
    for (let entry = entries[next]; entry; entry = entries[++next]) {
      const order = ids.compare(entry.id, 0, ID_BYTES, old * ID_BYTES, (old + 1) * ID_BYTES)
      if (order < 0) break
      sources[count++] = ~entry.index
      replaced ||= order === 0
    }
    if (!replaced) sources[count++] = old
  }
  for (const { index } of entries.slice(next)) sources[count++] = ~index
  return sources.subarray(0, count)
}

/** Merges a coded column. Values that no payment has any more are dropped. */
function mergedCodes(before: CodedColumn, sources: Int32Array, cells: readonly Cell[]): CodedColumn {
  const values: Cell[] = []
  const codesByKey = new Map<ReturnType<typeof keyOf>, number>()
  const codeOf = (cell: Cell): number => {
    const key = keyOf(cell)
    const code = codesByKey.get(key)
    if (code !== undefined) return code
    codesByKey.set(key, values.length)
    return values.push(cell) - 1
  }
  const newCodes = new Int32Array(before.values.length).fill(-1)
  const codes = new Uint32Array(sources.length)
  for (let at = 0; at < sources.length; at++) {
    const source = sources[at] ?? 0
    const old = before.codes[source] ?? 0
    if (source < 0) codes[at] = codeOf(cells[~source] ?? null)
    else {
      if (newCodes[old] === -1) newCodes[old] = codeOf(before.values[old] ?? null)
      codes[at] = newCodes[old] ?? 0
    }
  }
  return { values, codes }
}
