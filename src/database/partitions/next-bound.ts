const DAY_MS = 86_400_000

/**
 * A partition gets its end at least so long ahead. So no id is beyond it yet, a cut that does not succeed has some
 * rounds more, and a process that has read the partitions a day ago still knows where each payment is
 * (`payment-partitions.ts`).
 */
const NOTICE_MS = 3 * DAY_MS
/** The newest partition gets its end from so long before its first moment on; it is empty until then. */
const AHEAD_MS = 10 * DAY_MS
export const MAX_MONTHS = 12

export interface PartitionSize {
  /** Payments that a partition should have. */
  wanted: number
  /** Whether tables with fewer are divided, too: an operator asks for it. */
  dividesSmall: boolean
  /** How many months a partition has at most. */
  maxMonths?: number
}

interface Growth extends PartitionSize {
  /** Milliseconds since 1970. */
  now: number
  /** The first moment of the newest partition; null: there is none, and the table has all payments. */
  newest: number | null
  /** The partition before it, or the table without partitions: how many payments it has, and from when to when. */
  before: { rows: number; from: number; to: number }
}

/**
 * The moment at which the newest partition is to end, the beginning of a month (UTC). Undefined: it needs no end
 * yet. A small instance keeps tables without partitions. Later partitions are whole months, as many as have the
 * wanted number of payments at the rate of the partition before.
 */
export function nextBound({
  wanted,
  dividesSmall,
  maxMonths = MAX_MONTHS,
  now,
  newest,
  before,
}: Growth): number | undefined {
  const earliest = monthAfter(now + NOTICE_MS)
  if (newest === null) return before.rows >= wanted || dividesSmall ? earliest : undefined
  if (now < newest - AHEAD_MS) return undefined
  const monthly = before.rows / Math.max(1, (before.to - before.from) / (30 * DAY_MS))
  const months = Math.min(maxMonths, Math.max(1, Math.round(wanted / Math.max(1, monthly))))
  return Math.max(earliest, addMonths(newest, months))
}

/** The first beginning of a month (UTC) that is not before the moment. */
function monthAfter(moment: number): number {
  const begin = addMonths(moment, 0)
  return begin === moment ? moment : addMonths(moment, 1)
}

/** The beginning of the month that is so many months after that of the moment (UTC). */
export function addMonths(moment: number, months: number): number {
  const date = new Date(moment)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}
