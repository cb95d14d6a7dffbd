import type { OperationRow } from '../operations/operation.ts'
import type { RecoverOperation } from '../operations/recovery.ts'
import { recoverPayout } from '../payouts/recover-payout.ts'
import { recoverPayment } from '../transactions/outcome/recover-payment.ts'
import { isReviewDecided, recoverReview } from '../transactions/review/review.ts'
import type { World } from '../world.ts'

/** Finds out the outcome of an operation, of a payment or of a payout, and records it. */
export const recoverOperation = (
  world: World,
  operation: OperationRow,
): Promise<{ operation: OperationRow } | undefined> =>
  operation.kind === 'payout' ? recoverPayout(world, operation) : recoverPayment(world, operation)

/**
 * What recovery does with an operation that is due: a screening whose review is decided needs the capture or
 * the void that follows, every other one its outcome.
 */
export const recoverOperationOrReview =
  (world: World): RecoverOperation =>
  async (operation) => {
    if (!isReviewDecided(operation)) return recoverOperation(world, operation)
    await recoverReview(world, operation)
    return undefined
  }
