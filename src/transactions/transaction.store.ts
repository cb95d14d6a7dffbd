import { orNotFound } from '../api/errors.ts'
import { ofPayment } from '../database/partitions/payment-partitions.ts'
import type { World } from '../world.ts'
import type { TransactionRow } from './transaction.row.ts'

const selectTransaction = `
select row_to_json(t) as transaction
  from ${ofPayment('transactions', '$2', 't')}
 where merchant_account_id = $1
   and id = $2`

/** Undefined: the account has no such transaction. */
export async function findTransaction(
  world: World,
  account: string,
  id: string,
): Promise<TransactionRow | undefined> {
  const [row] = await world.run<{ transaction: TransactionRow }>(selectTransaction, [account, id])
  return row?.transaction
}

/** Throws 404 if the account has no such transaction. */
export async function readTransaction(world: World, account: string, id: string): Promise<TransactionRow> {
  return orNotFound(await findTransaction(world, account, id))
}
