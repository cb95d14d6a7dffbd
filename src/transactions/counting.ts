import type { PaymentOutcome } from '../metrics.ts'
import type { Performed } from '../operations/call.ts'
import { isCheckKind, isGiftCardKind, type OperationOutcome, type OperationRow } from '../operations/operation.ts'
import type { World } from '../world.ts'
import type { TransactionRow } from './transaction.row.ts'

/** Counts an outcome that has been written: the operation's, and the payment's where that decides it. `before` is the transaction as the outcome found it. */
export function countSettled(
  { metrics }: Pick<World, 'metrics'>,
  { before, after, operation }: { before: TransactionRow; after: TransactionRow; operation: OperationRow },
  { outcome, findings }: Performed,
): void {
  metrics.operationSettled({ kind: operation.kind, definition: definitionOf(before, operation, findings), outcome: outcome.status })
  if (before.intent_outcome === 'pending' && after.intent_outcome !== 'pending') countPayment({ metrics }, after, decided(after, operation, outcome))
}

/** Counts a payment that is decided. */
export const countPayment = (
  { metrics }: Pick<World, 'metrics'>,
  { method, payment_service: service }: TransactionRow,
  outcome: PaymentOutcome,
): void => metrics.paymentDecided({ outcome, method: method ?? 'none', definition: service?.payment_service_definition_id ?? 'none' })

function decided({ intent_outcome }: TransactionRow, { kind }: OperationRow, outcome: OperationOutcome): PaymentOutcome {
  if (intent_outcome === 'succeeded') return 'succeeded'
  if (kind === 'cancel' || kind === 'void') return 'canceled'
  return outcome.status === 'declined' ? 'declined' : 'failed'
}

/** Of the service that was asked. */
function definitionOf(row: TransactionRow, { kind }: OperationRow, findings: Performed['findings']): string {
  if (isGiftCardKind(kind)) return row.gift_cards?.service.gift_card_service_definition_id ?? 'none'
  if (isCheckKind(kind)) return kind === 'authentication' ? '3-d-secure' : (findings?.screening?.service.definition_id ?? 'none')
  return row.payment_service?.payment_service_definition_id ?? 'none'
}
