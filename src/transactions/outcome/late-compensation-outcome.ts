import {
  isLateCompensation,
  type OperationOutcome,
  type OperationRow,
  operationLogFields,
} from '../../operations/operation.ts'
import type { World } from '../../world.ts'

/**
 * Tells operators how the compensation of a late approval ended. A refused one leaves the buyer's money at the
 * payment service, for a payment that has failed: a person has to give it back there.
 */
export function reportLateCompensation(
  { log, metrics }: Pick<World, 'log' | 'metrics'>,
  operation: OperationRow,
  outcome: OperationOutcome,
): void {
  if (!isLateCompensation(operation)) return
  if (outcome.status === 'approved') metrics.lateOutcome('compensated')
  if (!('code' in outcome)) return
  metrics.lateOutcome('compensation_refused')
  log.error(
    { ...operationLogFields(operation), kind: operation.kind, code: outcome.code },
    'the payment service refused the compensation of a late approval: give the money back there',
  )
}
