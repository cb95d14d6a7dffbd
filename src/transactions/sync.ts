import { readOperations } from '../operations/journal.ts'
import type { OperationRow } from '../operations/operation.ts'
import type { World } from '../world.ts'
import { examine } from './examine.ts'
import { entry } from './story.ts'
import type { TransactionRow } from './transaction.row.ts'
import { readTransaction } from './transaction.store.ts'

const tell = 'insert into transaction_events (merchant_account_id, transaction_id, id, entries) values ($1, $2, $3, $4)'

/** Asks the payment service now about everything on a transaction that is not decided, and answers the transaction as it then stands. */
export async function syncTransaction(world: World, account: string, id: string): Promise<TransactionRow> {
  const before = await readTransaction(world, account, id)
  const open = (await readOperations(world, account, id)).filter((operation) => isUndecided(world, operation))
  await Promise.all(open.map((operation) => examine(world, operation)))
  const after = await readTransaction(world, account, id)
  const line = entry(world, 'transaction-sync-event', { status: after.status, previous_status: before.status, operations: open.length })
  await world.run(tell, [account, id, world.ids.next(), JSON.stringify([line])])
  return after
}

/** What is on its way just now is left to the request that sent it. */
export function isUndecided({ clock }: World, { status, check_at }: OperationRow): boolean {
  if (status === 'unknown' || status === 'pending') return true
  return (status === 'sent' || status === 'queued') && check_at !== null && Date.parse(check_at) <= clock.now()
}
