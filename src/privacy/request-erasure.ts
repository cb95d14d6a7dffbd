import { type Kysely, sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { Buyer } from '../buyers/buyer.schema.ts'
import { type BuyerRow, lockBuyer, showBuyer } from '../buyers/buyer.store.ts'
import { recordChange } from '../database/logs/audit-log.ts'
import { recordEvent } from '../database/logs/outbox.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import { type BuyerErasureRow, findBuyerErasure } from './buyer-erasure.store.ts'
import { eraseGiftCardsOfBuyer } from './erase-stored-methods.ts'
import { makeEraser } from './erased-rows.ts'

const eraseBuyerMembers = makeEraser(Buyer)

/**
 * Begins to erase a buyer. The buyer, the shipping details and the stored gift cards are deleted at once, so
 * that no new payment can name them; the rest is a job. A buyer that was deleted or erased before is erased
 * (again) by its id. Undefined: the account has never had such a buyer.
 */
export function requestBuyerErasure(
  world: World,
  account: string,
  buyerId: string,
): Promise<BuyerErasureRow | undefined> {
  return world.db.transaction().execute(async (db) => {
    const buyer = await lockBuyer(db, account, buyerId, 'update')
    if (!buyer && !(await hasTracesOfBuyer(db, account, buyerId))) return undefined
    const now = timeOf(world.clock)
    const open = { waiting: 0, due_at: now, requested_at: now, completed_at: null, updated_at: now }
    const erasure = await db
      .insertInto('buyer_erasures')
      .values({
        merchant_account_id: account,
        buyer_id: buyerId,
        external_identifier: buyer?.external_identifier ?? null,
        ...open,
        created_at: now,
      })
      .onConflict((conflict) => conflict.columns(['merchant_account_id', 'buyer_id']).doUpdateSet(open))
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordChange(db, world, {
      account,
      action: 'created',
      resource: { type: 'buyer-erasure', id: buyerId, name: null },
    })
    if (buyer) await deleteBuyerForErasure(db, world, buyer)
    return erasure
  })
}

/** Whether payments, payouts or events of a deleted buyer are left. */
async function hasTracesOfBuyer(db: Kysely<Tables>, account: string, id: string): Promise<boolean> {
  if (await findBuyerErasure({ db }, account, id)) return true
  const { rows } = await sql<{ exists: boolean }>`
    select exists (select from transactions
                    where merchant_account_id = ${account}
                      and buyer ->> 'id' = ${id}
                      and status <> 'processing')
        or exists (select from transactions
                    where merchant_account_id = ${account}
                      and buyer ->> 'id' = ${id}
                      and status = 'processing')
        or exists (select from payouts
                    where merchant_account_id = ${account}
                      and buyer ->> 'id' = ${id})
        or exists (select from event_sequences
                    where merchant_account_id = ${account}
                      and target_id = ${id}
                      and exists (select from events e
                                   where e.merchant_account_id = ${account}
                                     and e.name like 'buyer.%'
                                     and coalesce(e.target #>> '{buyer,id}', e.target ->> 'buyer_id', e.target ->> 'id') = ${id})) as exists`.execute(
    db,
  )
  return rows[0]?.exists ?? false
}

/** Deletes the buyer. Its event has the buyer's id and no personal data. */
async function deleteBuyerForErasure(db: Kysely<Tables>, world: World, buyer: BuyerRow): Promise<void> {
  const { merchant_account_id: account, id } = buyer
  await eraseGiftCardsOfBuyer(db, world, account, id)
  await db.deleteFrom('buyers').where('merchant_account_id', '=', account).where('id', '=', id).execute()
  await recordEvent(db, world, {
    account,
    name: 'buyer.deleted',
    target: eraseBuyerMembers(showBuyer(buyer)),
  })
  await recordChange(db, world, { account, action: 'deleted', resource: { type: 'buyer', id, name: null } })
}
