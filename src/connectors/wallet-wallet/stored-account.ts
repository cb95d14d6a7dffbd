import type { Call } from '../contract/call.ts'
import type { Outcome } from '../contract/outcome.ts'
import { type Order, paymentsOf, vaultOf } from './answer.schema.ts'
import type { Wire } from './wire.ts'

/** How long a payment waits for the token of the account that it stores. PayPal nearly always has it at once. */
const LONGEST_WAIT_MS = 15 * 60_000

/**
 * The outcome with the token of the buyer's account, if the payment stores it. PayPal may make the token after
 * the payment (`APPROVED`), and notifies then: the payment is pending until it is there, and stores nothing if
 * it takes too long.
 */
export function withStoredAccount(wire: Wire, { payment }: Call, order: Order, outcome: Outcome): Outcome {
  if (!payment?.storesInstrument || outcome.status !== 'approved') return outcome
  const { id, status } = vaultOf(order) ?? {}
  if (id !== undefined) return { ...outcome, storedToken: id }
  const { authorizations, captures } = paymentsOf(order)
  const paidAt = Date.parse((authorizations[0] ?? captures[0])?.create_time ?? '')
  const isAwaited = status === 'APPROVED' && wire.now() < paidAt + LONGEST_WAIT_MS
  return isAwaited ? { status: 'pending', facts: outcome.facts, references: outcome.references } : outcome
}
