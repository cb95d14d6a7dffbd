import { verdictFor } from '../amounts.ts'
import type { LaterKind, Verdict } from '../operation.ts'
import type { Payment } from '../payment.ts'
import { type Decision, newResult } from '../processing.ts'
import { refusal } from '../refusals.ts'
import type { Sandbox } from '../sandbox.ts'

const idPrefixes: Record<LaterKind, string> = { capture: 'cap', void: 'voi', cancel: 'can', increment: 'inc', refund: 'ref' }

export interface LaterRequest {
  service: string
  key: string
  kind: LaterKind
  payment_id: string
  /** Null where the operation has none of its own: a void or a cancel is about all there is. */
  amount: number | null
  final: boolean
}

/** Decides what becomes of an operation on a payment. Null: there is no such payment at this payment service. */
export function decideLater(sandbox: Sandbox, request: LaterRequest): Decision | null {
  const { service, key, kind, payment_id, final } = request
  const payment = sandbox.books.payments.get(payment_id)
  if (payment?.payment_service_id !== service) return null
  const amount = request.amount ?? wholeAmount(sandbox, payment)
  return {
    result: {
      ...newResult(sandbox, { key, kind, amount, currency: payment.currency }, verdictOn(sandbox, payment, kind, amount)),
      id: `${idPrefixes[kind]}_${sandbox.ids.next()}`,
      payment_id,
    },
    final,
  }
}

/** The books have the first word: an amount that stands for an outcome does not bring back money that is gone. */
function verdictOn(sandbox: Sandbox, payment: Payment, kind: LaterKind, amount: number): Verdict {
  const refused = refusal(kind, payment, amount, sandbox.clock.now())
  return refused ? { status: 'declined', code: refused } : verdictFor(kind, amount)
}

/** The authorized amount, or what was asked for while the authorization is pending. */
function wholeAmount({ books }: Sandbox, payment: Payment): number {
  if (payment.authorization === 'approved') return payment.authorized
  return books.operations.get(payment.opened_by)?.result.amount ?? 0
}
