import { recoverOperationOrReview } from '../../background/recover-operation.ts'
import { recoverOpenOperations } from '../../operations/recovery.ts'
import { openWorld } from '../../process/railyard.ts'
import type { Settings } from '../../settings.ts'
import { requireInstance } from '../support/command-database.ts'
import { printTable } from '../support/table.ts'

const columns = ['account', 'about', 'operation', 'kind', 'amount', 'was', 'is']

/**
 * `railyard look-up`: asks the payment services for the outcome of every open operation, and prints what has
 * changed. An operation without an answer stays open, and recovery asks again.
 */
export async function lookUp(settings: Settings): Promise<void> {
  await requireInstance(settings)
  const { world, close } = await openWorld(settings)
  try {
    const recovered = await recoverOpenOperations(world, recoverOperationOrReview(world))
    if (recovered.length === 0) return console.log('Every operation has a known outcome')
    const rows = recovered.map(({ before, after }) => [
      before.merchant_account_id,
      before.transaction_id,
      before.id,
      before.kind,
      `${before.amount} ${before.currency}`,
      before.status,
      after.status,
    ])
    printTable(columns, rows)
  } finally {
    await close()
  }
}
