import type { Kysely } from 'kysely'
import { momentOf } from '../database/partitions/partitioned-tables.ts'
import { changeInBatches } from '../database/rows/change-in-batches.ts'
import { statementsOn } from '../database/statements.ts'
import type { Tables } from '../database/tables.ts'
import { retiredBelow } from './retirement.store.ts'

/**
 * Deletes what belongs to the time of retired payments and is in no partition: payouts, whose operations are gone,
 * deliveries of webhooks, whose events are gone, and columns of the metrics explorer. A process that
 * dies leaves the rest to the next round.
 */
export async function deleteOutlived(db: Kysely<Tables>): Promise<void> {
  const below = await retiredBelow(db)
  if (below <= '00000000-0000-0000-0000-000000000000') return
  const before = new Date(momentOf(below)).toISOString()
  const world = { run: statementsOn(db) }
  await changeInBatches(world, { table: 'payouts', where: 'id < $1::uuid' }, [below])
  await changeInBatches(world, { table: 'webhook_deliveries', where: 'id < $1::uuid' }, [below])
  await changeInBatches(world, { table: 'insight_hours', where: 'hour < $1::timestamptz' }, [before])
}
