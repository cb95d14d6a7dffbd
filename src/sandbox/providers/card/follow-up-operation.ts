import { outcomeForAmount } from '../../core/amounts.ts'
import type { FollowUpKind, SimulatedResult } from '../../core/operation.ts'
import { forbiddenReason } from '../../core/operation-rules.ts'
import type { Payment } from '../../core/payment.ts'
import { newResult, type OperationDecision } from '../../core/processing.ts'
import type { Sandbox } from '../../sandbox.ts'

const idPrefixes: Record<FollowUpKind, string> = {
  capture: 'cap',
  void: 'voi',
  cancel: 'can',
  increment: 'inc',
  refund: 'ref',
}

export interface FollowUpRequest {
  service: string
  key: string
  kind: FollowUpKind
  payment_id: string
  /** Null for a void or a cancel, which concerns the whole payment. */
  amount: number | null
  final: boolean
}

/** Decides an operation on a payment. Null: this payment service has no such payment. */
export function decideFollowUp(sandbox: Sandbox, request: FollowUpRequest): OperationDecision | null {
  const { service, key, kind, payment_id, final } = request
  const payment = sandbox.books.payments.get(payment_id)
  if (payment?.payment_service_id !== service) return null
  const amount = request.amount ?? wholeAmount(sandbox, payment)
  return {
    result: {
      ...newResult(
        sandbox,
        { key, kind, amount, currency: payment.currency },
        outcomeOfFollowUp(sandbox, payment, kind, amount),
      ),
      id: `${idPrefixes[kind]}_${sandbox.ids.next()}`,
      payment_id,
    },
    final,
  }
}

/** The books decide first: an amount with a simulated outcome does not bring back money that is gone. */
function outcomeOfFollowUp(
  sandbox: Sandbox,
  payment: Payment,
  kind: FollowUpKind,
  amount: number,
): SimulatedResult {
  const refused = forbiddenReason(kind, payment, amount, sandbox.clock.now())
  return refused ? { status: 'declined', code: refused } : outcomeForAmount(kind, amount)
}

/** The authorized amount, or the requested one while the authorization is pending. */
function wholeAmount({ books }: Sandbox, payment: Payment): number {
  if (payment.authorization === 'approved') return payment.authorized
  return books.operations.get(payment.opened_by)?.result.amount ?? 0
}
