import type { Selectable } from 'kysely'
import type { SettlementTable } from '../database/tables/reconciliation.ts'
import type { World } from '../world.ts'

export type SettlementRow = Selectable<SettlementTable>

const ofTransaction = (
  { db }: Pick<World, 'db'>,
  account: string,
  transaction: string,
  type: SettlementRow['type'],
) =>
  db
    .selectFrom('settlements')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('transaction_id', '=', transaction)
    .where('type', '=', type)

/** The rows of one type of a transaction, the newest first. */
export const settlementsOf = (
  world: Pick<World, 'db'>,
  account: string,
  transaction: string,
  type: SettlementRow['type'],
): Promise<SettlementRow[]> =>
  ofTransaction(world, account, transaction, type)
    .orderBy('posted_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

export const settlementOf = (
  world: Pick<World, 'db'>,
  account: string,
  transaction: string,
  type: SettlementRow['type'],
  id: string,
): Promise<SettlementRow | undefined> =>
  ofTransaction(world, account, transaction, type).where('id', '=', id).executeTakeFirst()
