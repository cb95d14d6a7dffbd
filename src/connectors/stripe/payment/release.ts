import type { Call } from '../../contract/call.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { refusedOutcome } from '../../contract/outcome.ts'
import { chargeOf, type Intent, isPaymentIntent } from '../answer.schema.ts'
import type { Wire } from '../wire.ts'
import { changeIntent } from './change-intent.ts'
import { expandCard, isSetup } from './intent.ts'
import { factsOf, intentIdOf } from './outcome.ts'

/** Voids an authorization, or cancels a payment that waits for its buyer: a canceled intent stays so. */
export async function release(wire: Wire, call: Call): Promise<Outcome> {
  const id = intentIdOf(call)
  if (id === undefined) return refusedOutcome('unexpected_state')
  // a card that was checked for zero has nothing to release, and Stripe keeps its SetupIntent
  if (isSetup(id) && call.operation.kind === 'void') return approved(call, {})
  const body = { cancellation_reason: 'requested_by_customer', ...expandCard(id) }
  return changeIntent(wire, call, { id, action: 'cancel', body, read: released })
}

const approved = ({ operation }: Call, facts: ReturnType<typeof factsOf>): Outcome => ({
  status: 'approved',
  amount: operation.amount,
  facts,
  references: {},
})

/** The outcome of a void or a cancel; undefined: the intent is not canceled. */
export function released(call: Call, intent: Intent): Outcome | undefined {
  if (!isPaymentIntent(intent) && call.operation.kind === 'void') return approved(call, {})
  return intent.status === 'canceled' ? approved(call, factsOf(chargeOf(intent))) : undefined
}
