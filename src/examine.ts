import type { OperationRow } from './operations/operation.ts'
import { examinePayout } from './payouts/examine.ts'
import { examine } from './transactions/examine.ts'
import type { World } from './world.ts'

/** Finds out what became of an operation, whatever it is about, and settles it. */
export const examineOperation = (world: World, operation: OperationRow): Promise<{ operation: OperationRow } | undefined> =>
  operation.kind === 'payout' ? examinePayout(world, operation) : examine(world, operation)
