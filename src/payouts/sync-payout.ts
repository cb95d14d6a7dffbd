import { readOperations } from '../operations/journal/read-operations.ts'
import { isLookupDue } from '../transactions/outcome/sync-transaction.ts'
import type { World } from '../world.ts'
import type { PayoutRow } from './payout.row.ts'
import { readPayout } from './payout.store.ts'
import { recoverPayout } from './recover-payout.ts'

/**
 * Asks the payment service now what became of a payout that is not decided, as recovery does, and answers the
 * payout as it then stands. The payout is never sent again. Throws 404 if the account has no such payout.
 */
export async function syncPayout(world: World, account: string, id: string): Promise<PayoutRow> {
  await readPayout(world, account, id)
  for (const operation of await readOperations(world, account, id))
    if (isLookupDue(world, operation)) await recoverPayout(world, operation)
  return readPayout(world, account, id)
}
