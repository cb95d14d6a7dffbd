import type { OperationRow } from '../operations/operation.ts'
import { recoverPayout } from '../payouts/recover-payout.ts'
import { recoverPayment } from '../transactions/outcome/recover-payment.ts'
import type { World } from '../world.ts'

/** Finds out what became of an operation, whatever it is about, and settles it. */
export const recoverOperation = (world: World, operation: OperationRow): Promise<{ operation: OperationRow } | undefined> =>
  operation.kind === 'payout' ? recoverPayout(world, operation) : recoverPayment(world, operation)
