import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { retiredTables } from './partitioned-tables.ts'
import type { Partition } from './read-partitions.ts'
import { lockTables, quote, runScript, underLock } from './table-locks.ts'

/**
 * The ids at which every table with payments' rows has a partition that ends, the lowest first: payments below
 * one of them can be retired together. A table that was cut elsewhere makes the others wait.
 */
export function commonBounds(partitions: readonly Partition[]): string[] {
  const [first = [], ...others] = retiredTables.map(({ table }) =>
    partitions.flatMap(({ table: of, to }) => (of === table && to !== null ? [to] : [])),
  )
  return first.filter((bound) => others.every((bounds) => bounds.includes(bound)))
}

/** The partitions that have nothing but rows of payments below a bound. */
export const partitionsBelow = (partitions: readonly Partition[], bound: string): Partition[] =>
  partitions.filter(
    ({ table, to }) => retiredTables.some((retired) => retired.table === table) && to !== null && to <= bound,
  )

/** Drops nothing and undoes what `work` has done. */
export class KeepPartitions extends Error {}

interface DropOptions {
  /** How long to try to get the locks, in milliseconds. */
  patience: number
  /** Runs under the locks, in the same commit; throws `KeepPartitions` where rows must stay after all. */
  work: (tx: Kysely<Tables>) => Promise<void>
}

/**
 * Drops partitions in one short transaction: all of them, or none. `later`: the locks were not to be had in time;
 * `kept`: the work under the locks has refused.
 */
export async function dropPartitions(
  db: Kysely<Tables>,
  partitions: readonly Partition[],
  { patience, work }: DropOptions,
): Promise<'dropped' | 'later' | 'kept'> {
  const tables = [...new Set(partitions.map(({ table }) => table))]
  const names = partitions.map(({ name }) => name)
  try {
    const isDone = await underLock(performance.now() + patience, () =>
      db.transaction().execute(async (tx) => {
        await lockTables(tx, [...tables, ...names])
        await work(tx)
        await runScript(tx, `drop table ${names.map(quote).join(', ')}`)
      }),
    )
    return isDone ? 'dropped' : 'later'
  } catch (error) {
    if (error instanceof KeepPartitions) return 'kept'
    throw error
  }
}
