import { type Kysely, sql } from 'kysely'
import { timeOf } from '../base/clock.ts'
import type { Tables } from '../database/tables.ts'
import { isOpen, type OperationRow } from '../operations/operation.ts'
import type { PayoutRow } from '../payouts/payout.row.ts'
import type { World } from '../world.ts'
import { type ErasureProgress, eraseEach, idsOfBuyer } from './erase-each.ts'
import { eraseOperations } from './erase-operations.ts'
import { eraseStoredAnswers } from './erase-stored-answers.ts'
import { erasedPayout } from './erased-rows.ts'

/** Erases the payouts of a buyer, and of guests with the same `external_identifier`. */
export const erasePayoutsOfBuyer = (
  world: World,
  account: string,
  buyer: string,
  name: string | null,
): Promise<ErasureProgress> =>
  eraseEach(
    (after, limit) =>
      idsOfBuyer(world.db, 'payouts', sql`buyer ->> 'id'`, { account, buyer, name, after, limit }),
    (id) => world.db.transaction().execute((db) => erasePayout(world, db, account, id)),
  )

/** Erases one payout. False: its outcome is not known yet, so it must wait. */
async function erasePayout(
  { clock }: Pick<World, 'clock'>,
  db: Kysely<Tables>,
  account: string,
  id: string,
): Promise<boolean> {
  const { rows } = await sql<{ payout: PayoutRow }>`
    select row_to_json(p) as payout
      from payouts p
     where merchant_account_id = ${account}
       and id = ${id}
       for update`.execute(db)
  const payout = rows[0]?.payout
  const { rows: journal } = await sql<{ operation: OperationRow }>`
    select row_to_json(o) as operation
      from operations o
     where merchant_account_id = ${account}
       and transaction_id = ${id}`.execute(db)
  if (!payout || journal.some(({ operation }) => isOpen(operation.status))) return !payout
  const erased = erasedPayout(payout)
  const hasChanged =
    JSON.stringify([payout.buyer, payout.payment_method]) !==
    JSON.stringify([erased.buyer, erased.payment_method])
  if (hasChanged)
    await sql`
      update payouts
         set buyer = ${erased.buyer && JSON.stringify(erased.buyer)}::jsonb,
             payment_method = ${JSON.stringify(erased.payment_method)}::jsonb,
             updated_at = ${timeOf(clock)}
       where merchant_account_id = ${account}
         and id = ${id}`.execute(db)
  await eraseOperations(
    db,
    account,
    journal.map(({ operation }) => operation),
  )
  await eraseStoredAnswers(db, account, [id], [payout.created_at])
  return true
}
