import { type Kysely, sql } from 'kysely'
import type { World } from '../../world.ts'
import type { Tables } from '../tables.ts'
import { onConnectionWithout } from '../without-timeout.ts'
import { type CutOptions, type CutResult, cutTable, removeProofs } from './cut-table.ts'
import { nextBound, type PartitionSize } from './next-bound.ts'
import {
  lowestIdOf,
  momentOf,
  type PartitionedTable,
  partitionedTables,
  timeOfId,
} from './partitioned-tables.ts'
import { withPartitionsLocked } from './partitions-lock.ts'
import { CERTAIN_MS } from './payment-partitions.ts'
import { type Partition, readPartitions } from './read-partitions.ts'

type PartitionWorld = Pick<World, 'db' | 'settings' | 'partitions' | 'machineClock' | 'log'>

const cutOptions: CutOptions = {
  // the next hour tries again
  patience: 300_000,
  // half a day more, as clocks differ
  ahead: CERTAIN_MS * 1.5,
}

/**
 * Ends the newest partition of each table, if it is time. One process of the instance does it at a time. Answers
 * how many tables were cut. Whatever the size, a partition that a process closed and did not divide takes every id
 * again. `size` undefined: nothing is cut.
 */
export async function cutDueTables(world: PartitionWorld, size: PartitionSize | undefined): Promise<number> {
  const cut = await withPartitionsLocked(world, async (connection) => {
    await removeProofs(connection, performance.now() + cutOptions.patience)
    return size === undefined ? 0 : cutTables(connection, world, size)
  })
  if (!cut) return 0
  await world.partitions.load()
  return cut
}

/**
 * All tables are cut at the same ids: `transactions` is cut first, and the others, also those that a round before
 * could not cut, follow it. A table that could not follow in time is cut at the next bound again.
 */
async function cutTables(
  db: Kysely<Tables>,
  { machineClock, log }: PartitionWorld,
  size: PartitionSize,
): Promise<number> {
  const [first, ...others] = partitionedTables
  let cut = await followTransactions(db, log, others)
  const bound = await boundOf(db, machineClock.now(), size)
  if (bound === undefined) return cut
  if (!(await cutOne(db, log, first, lowestIdOf(bound)))) return cut
  cut += 1 + (await followTransactions(db, log, others))
  await analyzeTables(db)
  return cut
}

/**
 * Statements that join tables need to know how many rows all partitions have, which autovacuum does not count. In a
 * transaction, the event log would end before it until all partitions are read.
 */
export const analyzeTables = (db: Kysely<Tables>): Promise<void> =>
  onConnectionWithout(['statement_timeout'], db, async (connection) => {
    for (const { table } of partitionedTables) await sql`analyze ${sql.table(table)}`.execute(connection)
  })

async function followTransactions(
  db: Kysely<Tables>,
  log: World['log'],
  tables: readonly PartitionedTable[],
): Promise<number> {
  const bound = partitionsOf(await readPartitions(db), 'transactions').at(-1)?.from
  if (!bound) return 0
  let cut = 0
  for (const table of tables) if (await cutOne(db, log, table, bound)) cut += 1
  return cut
}

async function cutOne(
  db: Kysely<Tables>,
  log: World['log'],
  table: PartitionedTable,
  bound: string,
): Promise<boolean> {
  const result = await cutTable(db, table, bound, cutOptions)
  logCut(log, table, bound, result)
  return result === 'cut'
}

function logCut(log: World['log'], { table }: PartitionedTable, bound: string, result: CutResult): void {
  const at = timeOfId(bound)
  if (result === 'cut') log.info({ table, at }, 'the table has a new partition')
  if (result === 'later')
    log.warn({ table, at }, 'the table could not be given a new partition; the next hour tries again')
}

const partitionsOf = (partitions: readonly Partition[], table: string): Partition[] =>
  partitions.filter((partition) => partition.table === table)

async function boundOf(db: Kysely<Tables>, now: number, size: PartitionSize): Promise<number | undefined> {
  const payments = partitionsOf(await readPartitions(db), 'transactions')
  const newest = payments.at(-1)
  if (!newest) return undefined
  const begins = newest.from === null ? null : momentOf(newest.from)
  // the partitions before the newest may all have been retired
  const before = begins === null ? newest : (payments.at(-2) ?? newest)
  const from = before.from === null ? await oldestPayment(db) : momentOf(before.from)
  return nextBound({
    ...size,
    now,
    newest: begins,
    before: { rows: before.rows, from: from ?? now, to: before.to === null ? now : momentOf(before.to) },
  })
}

async function oldestPayment(db: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ created_at: string | null }>`
    select min(first.created_at) as created_at
      from account_shards a (id),
           lateral (select min(created_at) as created_at from transactions t where t.merchant_account_id = a.id) first`.execute(
    db,
  )
  const oldest = rows[0]?.created_at
  return oldest ? Date.parse(oldest) : undefined
}
