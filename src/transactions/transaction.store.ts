import { notFound } from '../api/errors.ts'
import type { World } from '../world.ts'
import type { TransactionRow } from './transaction.row.ts'

const readOne = 'select row_to_json(t) as transaction from transactions t where merchant_account_id = $1 and id = $2'

/** Throws 404 where the account has no such transaction. */
export async function readTransaction(world: World, account: string, id: string): Promise<TransactionRow> {
  const [row] = await world.run<{ transaction: TransactionRow }>(readOne, [account, id])
  if (!row) throw notFound()
  return row.transaction
}
