import type { OperationOutcome, OperationRow } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { decideNext } from './decide-next.ts'
import { intendNext } from './intend-next.ts'
import { situationOf } from './look-up-facts.ts'

/**
 * What the rows alone lead to: the operation that recovery would intend, with the transaction that it opens.
 * Undefined: none.
 */
export function nextOperation(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
) {
  const next = decideNext(
    situationOf(world, { transaction: row, operation }, { outcome, exchanges: [] }, undefined, {}),
    {},
  )
  if (next.kind === 'look-up') throw new Error(`recovery cannot look up: ${next.fact}`)
  const intended = intendNext(world, { transaction: row, operation }, next)
  return intended && { operation: intended.operation, transaction: intended.opens }
}
