import type { Call } from '../../contract/call.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { refusedOutcome, unknownOutcome } from '../../contract/outcome.ts'
import { nothingAdded } from '../../wire/empty-increment.ts'
import { fromStripeAmount, toStripeAmount } from '../amount.ts'
import { chargeOf, type Intent, isPaymentIntent } from '../answer.schema.ts'
import { markedAmount, marker } from '../metadata.ts'
import type { Wire } from '../wire.ts'
import { changeIntent } from './change-intent.ts'
import { fetchIntent, referencesOf } from './intent.ts'
import { factsOf, intentIdOf, notSent } from './outcome.ts'

/**
 * Adds to an authorization. Stripe takes the new total, so the intent is read first: an increment that it has
 * already is not sent again. An earlier request that is still under way has the same total and the same key.
 */
export async function increment(wire: Wire, call: Call): Promise<Outcome> {
  const { amount, currency } = call.operation
  const id = intentIdOf(call)
  if (id === undefined) return refusedOutcome('unexpected_state')
  if (amount === 0) return nothingAdded
  const added = toStripeAmount(amount, currency)
  if (added === undefined) return notSent('invalid_amount', `Stripe cannot add ${amount} of ${currency}`)
  const intent = await fetchIntent(wire, call, id)
  if (intent === undefined) return unknownOutcome('the intent cannot be read')
  if (intent === 'missing' || !isPaymentIntent(intent)) return refusedOutcome('unknown_service_resource')
  const body = {
    amount: intent.amount + added,
    metadata: marker('increment', call.operation, added),
    expand: ['latest_charge'],
  }
  return (
    incremented(call, intent) ??
    changeIntent(wire, call, { id, action: 'increment_authorization', body, read: incremented })
  )
}

/** The outcome of an increment; undefined: it has left no marker on the intent, which a declined one never does. */
export function incremented(call: Call, intent: Intent): Outcome | undefined {
  const units = markedAmount(intent, 'increment', call.operation)
  if (units === undefined) return undefined
  const amount = fromStripeAmount(units, call.operation.currency)
  if (amount === undefined) return unknownOutcome('the amount cannot be read')
  return {
    status: 'approved',
    amount,
    facts: factsOf(chargeOf(intent)),
    references: { ...referencesOf(call, intent), operation: `${intent.id}/${call.operation.id}` },
  }
}
