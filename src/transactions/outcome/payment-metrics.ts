import type { PaymentOutcome } from '../../base/metrics.ts'
import type { SendResult } from '../../operations/calls/call-result.ts'
import {
  isCheckKind,
  isGiftCardKind,
  type OperationOutcome,
  type OperationRow,
} from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'

/**
 * Counts an outcome that has been written: the operation's, and the payment's where that decides it. `before`
 * is the transaction as the outcome found it.
 */
export function countOutcome(
  { metrics }: Pick<World, 'metrics'>,
  { before, after, operation }: { before: TransactionRow; after: TransactionRow; operation: OperationRow },
  { outcome, findings }: SendResult,
): void {
  metrics.outcomeRecorded({
    kind: operation.kind,
    definition: definitionIdOf(before, operation, findings),
    outcome: outcome.status,
  })
  if (before.intent_outcome === 'pending' && after.intent_outcome !== 'pending')
    countDecidedPayment({ metrics }, after, decidedOutcome(after, operation, outcome))
}

/** Counts a payment that is decided. */
export const countDecidedPayment = (
  { metrics }: Pick<World, 'metrics'>,
  { method, payment_service: service }: TransactionRow,
  outcome: PaymentOutcome,
): void =>
  metrics.paymentDecided({
    outcome,
    method: method ?? 'none',
    definition: service?.payment_service_definition_id ?? 'none',
  })

function decidedOutcome(
  { intent_outcome }: TransactionRow,
  { kind }: OperationRow,
  outcome: OperationOutcome,
): PaymentOutcome {
  if (intent_outcome === 'succeeded') return 'succeeded'
  if (kind === 'cancel' || kind === 'void') return 'canceled'
  return outcome.status === 'declined' ? 'declined' : 'failed'
}

/** Of the service that was asked. */
function definitionIdOf(
  row: TransactionRow,
  { kind }: OperationRow,
  findings: SendResult['findings'],
): string {
  if (isGiftCardKind(kind)) return row.gift_cards?.service.gift_card_service_definition_id ?? 'none'
  if (isCheckKind(kind))
    return kind === 'authentication' ? '3-d-secure' : (findings?.screening?.service.definition_id ?? 'none')
  return row.payment_service?.payment_service_definition_id ?? 'none'
}
