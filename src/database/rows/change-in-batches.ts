import type { Statements } from '../statements.ts'

const BATCH = 10_000

/** Which rows are changed, and how. */
export interface BatchedChange {
  table: string
  /** The assignments of an update; absent: the rows are deleted. */
  set?: string
  /** Which rows: SQL with `$1`, `$2` … It must not be true of a row that is updated. */
  where: string
  /**
   * Looks for the rows of each owner along an index of these two columns. Absent: PostgreSQL may read the whole table
   * to find that none is left. `owners`: a table with all of the owners, by their `id`.
   */
  along?: { owners: string; index: readonly [owner: string, sortedBy: string] }
}

/**
 * Deletes or updates all rows that a condition is true of, in batches of 10,000, which hold no lock for long. A
 * batch is found by its rows' physical addresses: PostgreSQL needs no statistics of the table for a good plan, since
 * it does not see how many addresses `array(…)` has. An address may belong to another row by then, and on Citus to
 * one of each shard, so the condition is checked again. A process that stops leaves the rest to the next one.
 */
export async function changeInBatches(
  world: { run: Statements; stopping?: boolean },
  { table, set, where, along }: BatchedChange,
  values: readonly unknown[],
): Promise<void> {
  const select = along
    ? selectAlong(table, where, along)
    : `select ctid from ${table} where ${where} limit ${BATCH}`
  const change = `${set ? `update ${table} set ${set}` : `delete from ${table}`} where ctid = any(array(select unnest($${values.length + 1}::tid[]))) and ${where}`
  while (!world.stopping) {
    const rows = await world.run<{ ctid: string }>(select, values)
    if (rows.length > 0) await world.run(change, [...values, rows.map(({ ctid }) => ctid)])
    if (rows.length < BATCH) return
  }
}

/** A batch in the order of an index, which PostgreSQL therefore reads, whatever its statistics say. */
const selectAlong = (
  table: string,
  where: string,
  { owners, index: [owner, sortedBy] }: NonNullable<BatchedChange['along']>,
) => `
select found.ctid
  from ${owners} owner,
       lateral (select ctid
                  from ${table}
                 where ${owner} = owner.id
                   and ${where}
                 order by ${sortedBy}
                 limit ${BATCH}) found
 limit ${BATCH}`
