import { commonBounds } from '../database/partitions/drop-partitions.ts'
import { addMonths } from '../database/partitions/next-bound.ts'
import { momentOf } from '../database/partitions/partitioned-tables.ts'
import type { Partition } from '../database/partitions/read-partitions.ts'

/**
 * The bounds below which every payment is older than the months for which payments are kept, the lowest first:
 * payments are retired up to one bound after the other.
 */
export const dueBounds = (partitions: readonly Partition[], months: number, now: number): string[] =>
  commonBounds(partitions).filter((bound) => isOver(momentOf(bound), months, now))

/** A bound is the beginning of a month, but in tests. */
function isOver(bound: number, months: number, now: number): boolean {
  const intoMonth = bound - addMonths(bound, 0)
  return addMonths(bound, months) + intoMonth <= now
}
