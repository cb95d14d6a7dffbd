import { type Kysely, type RawBuilder, sql } from 'kysely'
import { momentOf } from '../database/partitions/partitioned-tables.ts'
import type { Tables } from '../database/tables.ts'
import { retiredBelow } from './retirement.store.ts'

const BATCH = 10_000

/**
 * Deletes what belongs to the time of retired payments and is in no partition: payouts, whose operations are gone,
 * deliveries of webhooks, whose events are gone, and columns of the metrics explorer. In batches that hold no lock
 * for long; a process that dies leaves the rest to the next round.
 */
export async function deleteOutlived(db: Kysely<Tables>): Promise<void> {
  const below = await retiredBelow(db)
  if (below <= '00000000-0000-0000-0000-000000000000') return
  const before = new Date(momentOf(below)).toISOString()
  await deleteBatches(db, 'payouts', sql`id < ${below}::uuid`)
  await deleteBatches(db, 'webhook_deliveries', sql`id < ${below}::uuid`)
  await deleteBatches(db, 'insight_hours', sql`hour < ${before}::timestamptz`)
}

async function deleteBatches(
  db: Kysely<Tables>,
  table: 'payouts' | 'webhook_deliveries' | 'insight_hours',
  isOld: RawBuilder<unknown>,
): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ one: number }>`
      delete from ${sql.table(table)}
       where ctid = any(array(select ctid from ${sql.table(table)} where ${isOld} limit ${sql.lit(BATCH)}))
      returning 1 as one`.execute(db)
    if (rows.length < BATCH) return
  }
}
