import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'

/** The latest chargeback of a payment; undefined: it has none. */
export const lastChargeback = (
  { db }: Pick<World, 'db'>,
  { merchant_account_id: account, id }: Pick<TransactionRow, 'merchant_account_id' | 'id'>,
): Promise<{ id: string; posted_at: string } | undefined> =>
  db
    .selectFrom('settlements')
    .select(['id', 'posted_at'])
    .where('merchant_account_id', '=', account)
    .where('transaction_id', '=', id)
    .where('type', '=', 'chargeback')
    .orderBy('posted_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
