import type { Call } from '../../contract/call.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { refusedOutcome, unknownOutcome } from '../../contract/outcome.ts'
import { fromStripeAmount, toStripeAmount } from '../amount.ts'
import { chargeOf, type Intent, isPaymentIntent } from '../answer.schema.ts'
import { markedAmount, markedTotal, marker } from '../metadata.ts'
import type { Wire } from '../wire.ts'
import { changeIntent } from './change-intent.ts'
import { referencesOf } from './intent.ts'
import { factsOf, intentIdOf, notSent } from './outcome.ts'

/** Captures an authorization, in whole or in part; the final capture releases what is left. */
export async function capture(wire: Wire, call: Call): Promise<Outcome> {
  const { amount, currency, final } = call.operation
  const id = intentIdOf(call)
  if (id === undefined) return refusedOutcome('unexpected_state')
  const units = toStripeAmount(amount, currency)
  if (units === undefined) return notSent('invalid_amount', `Stripe cannot express ${amount} of ${currency}`)
  const body = {
    amount_to_capture: units,
    // Stripe takes it only for a charge of several captures, and otherwise each capture is final
    ...(!final && { final_capture: false }),
    metadata: marker('capture', call.operation, units),
    expand: ['latest_charge'],
  }
  return changeIntent(wire, call, { id, action: 'capture', body, read: captured })
}

/**
 * The outcome of a capture: its marker on the intent, if the intent has received as much as all markers say.
 * Undefined: it has left none.
 */
export function captured(call: Call, intent: Intent): Outcome | undefined {
  const units = markedAmount(intent, 'capture', call.operation)
  if (units === undefined || !isPaymentIntent(intent)) return undefined
  const amount = fromStripeAmount(units, call.operation.currency)
  if (amount === undefined || intent.amount_received < markedTotal(intent, 'capture'))
    return unknownOutcome('the captured amounts do not add up')
  return {
    status: 'approved',
    amount,
    facts: factsOf(chargeOf(intent)),
    references: { ...referencesOf(call, intent), operation: `${intent.id}/${call.operation.id}` },
  }
}
