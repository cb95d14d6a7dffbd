import { type Selectable, type SqlBool, sql } from 'kysely'
import { orNotFound } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import type { DisputeTable } from '../../database/tables/disputes.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { DisputeQuery } from './dispute.schema.ts'

export type DisputeRow = Selectable<DisputeTable>

/** Throws 404 if the account has no such dispute. */
export const readDispute = async (
  { db }: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<DisputeRow> =>
  orNotFound(
    await db
      .selectFrom('disputes')
      .selectAll()
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .executeTakeFirst(),
  )

/** Up to `limit + 1` disputes of the account from the page's position on, the newest first. */
export const listDisputes = (
  { db }: Pick<World, 'db'>,
  account: string,
  { transaction_id, status, evidence_due_before }: Omit<DisputeQuery, 'cursor' | 'limit'>,
  page: PageRequest,
): Promise<DisputeRow[]> =>
  db
    .selectFrom('disputes')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$if(transaction_id != null, (all) => all.where('transaction_id', '=', transaction_id ?? null))
    .$if(status != null, (all) => all.where(sql<SqlBool>`status = any(${status}::text[])`))
    .$if(evidence_due_before != null, (all) => all.where('evidence_due_at', '<', evidence_due_before ?? null))
    .$call(newestFirst(page))
    .execute()

/**
 * The latest dispute that holds money of a payment; undefined: none does. `isForeign`: one in another currency than
 * the payment's, of which `disputed_amount` has nothing.
 */
export const disputeHoldingMoney = (
  { db }: Pick<World, 'db'>,
  {
    merchant_account_id: account,
    id,
    currency,
  }: Pick<TransactionRow, 'merchant_account_id' | 'id' | 'currency'>,
  isForeign = false,
): Promise<Pick<DisputeRow, 'id' | 'currency'> | undefined> =>
  db
    .selectFrom('disputes')
    .select(['id', 'currency'])
    .where('merchant_account_id', '=', account)
    .where('transaction_id', '=', id)
    .where(sql<SqlBool>`withdrawn_amount > returned_amount`)
    .$if(isForeign, (query) => query.where('currency', '<>', currency))
    .orderBy('opened_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
