import { commonBounds } from '../database/partitions/drop-partitions.ts'
import { addMonths } from '../database/partitions/next-bound.ts'
import { momentOf } from '../database/partitions/partitioned-tables.ts'
import type { Partition } from '../database/partitions/read-partitions.ts'

/**
 * The bounds below which every payment is older than the months for which payments are kept, the lowest first:
 * payments are retired up to one bound after the other.
 */
export const dueBounds = (partitions: readonly Partition[], months: number, now: number): string[] =>
  commonBounds(partitions).filter((bound) => dueAt(momentOf(bound), months) <= now)

/**
 * The payments that can be retired next, and the moment from which every one of them is old enough. Undefined: the
 * tables have no common end yet.
 */
export function firstDue(
  partitions: readonly Partition[],
  months: number,
): { below: string; at: number } | undefined {
  const [below] = commonBounds(partitions)
  return below === undefined ? undefined : { below, at: dueAt(momentOf(below), months) }
}

/** A bound is the beginning of a month, but in tests. */
function dueAt(bound: number, months: number): number {
  const intoMonth = bound - addMonths(bound, 0)
  return addMonths(bound, months) + intoMonth
}
