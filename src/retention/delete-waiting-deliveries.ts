import { type Kysely, sql } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { makeFirstOfEachResourceDue } from '../events/delivery/webhook-queue.store.ts'

/** Rows that one transaction deletes. */
const BATCH = 1_000

/**
 * Deletes deliveries of retired events that wait for their inactive subscription. Later deliveries of the same
 * resource wait behind them: the first of those is due. `now`: the time of the machine's clock.
 */
export async function deleteWaitingDeliveries(db: Kysely<Tables>, below: string, now: string): Promise<void> {
  let deleted: number
  do deleted = await deleteBatch(db, below, now)
  while (deleted === BATCH)
}

/** Answers how many were deleted. */
const deleteBatch = (db: Kysely<Tables>, below: string, now: string): Promise<number> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ subscription: string; target: string }>`
      delete from webhook_deliveries d
       using (select webhook_subscription_id, id, merchant_account_id
                from webhook_deliveries
               where id < ${below}::uuid
                 and status = 'waiting'
               limit ${sql.lit(BATCH)}) old
       where d.webhook_subscription_id = old.webhook_subscription_id
         and d.id = old.id
         and d.merchant_account_id = old.merchant_account_id
      returning d.webhook_subscription_id as subscription,
                d.target_id as target`.execute(tx)
    for (const [subscription, deleted] of Map.groupBy(rows, (row) => row.subscription))
      await makeFirstOfEachResourceDue(
        tx,
        subscription,
        [...new Set(deleted.map(({ target }) => target))],
        now,
      )
    return rows.length
  })
