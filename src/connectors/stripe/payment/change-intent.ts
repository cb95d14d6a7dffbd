import type { Call } from '../../contract/call.ts'
import type { Outcome } from '../../contract/outcome.ts'
import { unknownOutcome } from '../../contract/outcome.ts'
import { type Intent, readIntent } from '../answer.schema.ts'
import type { Body, Wire } from '../wire.ts'
import { fetchIntent, intentPath } from './intent.ts'
import { toRefusal } from './outcome.ts'

/** A change of an intent. `read`: what the intent says of it; undefined: it has not taken effect. */
export interface IntentChange {
  id: string
  action: 'capture' | 'cancel' | 'increment_authorization'
  body: Body
  read: (call: Call, intent: Intent) => Outcome | undefined
}

/** Sends the change under the operation's id and reads its outcome from the intent in the answer. */
export async function changeIntent(wire: Wire, call: Call, change: IntentChange): Promise<Outcome> {
  const { id, action, body, read } = change
  // after a day Stripe has forgotten the key, and would make a capture again
  const earlier = call.operation.sentBefore ? await fetchIntent(wire, call, id) : 'missing'
  if (earlier === undefined) return unknownOutcome('the intent cannot be read')
  const done = earlier === 'missing' ? undefined : read(call, earlier)
  if (done) return done
  const answer = await wire.post(call, intentPath(id, action), body, call.operation.id)
  const refusal = toRefusal(answer)
  if (refusal) return answer.lost ? refusal : confirmRefusal(wire, call, change, refusal)
  const intent = answer.lost ? undefined : readIntent(answer.body, id)
  return (intent && read(call, intent)) ?? unknownOutcome('the answer is about another request')
}

/**
 * A refusal does not name its request: it may be of the second of two. So it counts only if the intent does
 * not have the change.
 */
async function confirmRefusal(
  wire: Wire,
  call: Call,
  { id, read }: IntentChange,
  refusal: Outcome,
): Promise<Outcome> {
  if (refusal.status === 'unknown' || (refusal.status === 'failed' && refusal.unprocessed)) return refusal
  const intent = await fetchIntent(wire, call, id)
  if (intent === undefined) return unknownOutcome('it was refused, and the intent cannot be read')
  return (intent === 'missing' ? undefined : read(call, intent)) ?? refusal
}
