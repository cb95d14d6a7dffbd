import { changeWithAudit } from '../database/logs/audit-log.ts'
import type { World } from '../world.ts'
import { eraseTransactions } from './erase-transactions.ts'
import type { TransactionErasure } from './erasure.schema.ts'

interface ErasureRow {
  id: string
  is_erased: boolean
}

const selectErasure = `
select id, erased_at = updated_at as is_erased
  from transactions
 where merchant_account_id = $1
   and id = $2
   and erased_at is not null`

/** Undefined: there is no such transaction, or its erasure was never requested. */
export async function findTransactionErasure(
  { run }: Pick<World, 'run'>,
  account: string,
  id: string,
): Promise<TransactionErasure | undefined> {
  const [row] = await run<ErasureRow & Record<string, unknown>>(selectErasure, [account, id])
  if (!row) return undefined
  return {
    type: 'transaction-erasure',
    transaction_id: row.id,
    merchant_account_id: account,
    status: row.is_erased ? 'succeeded' : 'pending',
  }
}

/**
 * Erases a transaction: at once, unless an operation of it is under way. Undefined: the account has no such
 * transaction.
 */
export async function requestTransactionErasure(
  world: World,
  account: string,
  id: string,
): Promise<TransactionErasure | undefined> {
  const marked = await changeWithAudit(
    world,
    (db) => markForErasure(db, account, id),
    ({ id: transaction }) => ({
      account,
      action: 'created',
      resource: { type: 'transaction-erasure', id: transaction, name: null },
    }),
  )
  if (marked)
    await eraseTransactions(world, account, [{ id: marked.id, is_first: true }]).catch((error) =>
      world.log.error(
        { err: error, account, transaction: id },
        'a transaction could not be erased at once; it is tried again',
      ),
    )
  return findTransactionErasure(world, account, id)
}

/** Undefined: the erasure was requested before, or there is no such transaction. */
const markForErasure = (db: World['db'], account: string, id: string) =>
  db
    .updateTable('transactions')
    .set({ erased_at: '-infinity' })
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where('erased_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
