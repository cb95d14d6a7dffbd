import { decide, expire, nobodyDecides, nothingExpires } from './awaited.ts'
import { end, nothingPending } from './pending.ts'
import { noRefundLeft, nothingLeft, settle } from './report.ts'
import type { EventName, EventOf } from './simulate.schema.ts'
import { type Situation, unfit } from './situation.ts'
import { changeToken, methodIsNot, noCard, renewCard, tellOfMethod, tokenIsNot } from './stored-method.ts'

interface Happening<Name extends EventName> {
  /** Why it does not fit the transaction as it is; null: it fits. */
  obstacle: (situation: Situation) => string | null
  /** Throws 400 where something of the body does not fit. */
  happen: (situation: Situation, body: EventOf<Name>) => Promise<void>
}

/** By event. */
export const happenings: { [Name in EventName]: Happening<Name> } = {
  settled: { obstacle: nothingLeft('settled'), happen: settle },
  refund_settled: { obstacle: noRefundLeft, happen: settle },
  disputed: { obstacle: nothingLeft('disputed'), happen: settle },
  dispute_reversed: { obstacle: nothingLeft('dispute_reversed'), happen: settle },
  completed: { obstacle: nothingPending, happen: end },
  declined: { obstacle: nothingPending, happen: end },
  failed: { obstacle: nothingPending, happen: end },
  approved: { obstacle: nobodyDecides, happen: decide },
  rejected: { obstacle: nobodyDecides, happen: decide },
  expired: { obstacle: nothingExpires, happen: expire },
  card_updated: { obstacle: noCard, happen: (situation, { expiration_date: expiry }) => renewCard(situation, 'updated', expiry ?? null) },
  card_closed: { obstacle: noCard, happen: (situation) => renewCard(situation, 'closed', null) },
  token_suspended: { obstacle: tokenIsNot('token_suspended'), happen: (situation) => changeToken(situation, { event: 'token_suspended' }) },
  token_resumed: { obstacle: tokenIsNot('token_resumed'), happen: (situation) => changeToken(situation, { event: 'token_resumed' }) },
  token_deleted: { obstacle: tokenIsNot('token_deleted'), happen: (situation) => changeToken(situation, { event: 'token_deleted' }) },
  method_paused: told('method_paused'),
  method_resumed: told('method_resumed'),
  method_authorization_updated: told('method_authorization_updated'),
  method_authorization_update_required: told('method_authorization_update_required'),
  method_authorization_expiring: told('method_authorization_expiring'),
}

function told(event: Parameters<typeof methodIsNot>[0]) {
  return { obstacle: methodIsNot(event), happen: (situation: Situation) => tellOfMethod(situation, { event }) }
}

/** Throws 400 that names the events that fit, and nothing has happened. */
export async function happen<Name extends EventName>(situation: Situation, event: Name, body: EventOf<Name>): Promise<void> {
  const { obstacle, happen }: Happening<Name> = happenings[event]
  const problem = obstacle(situation)
  if (problem !== null) {
    const fitting = Object.entries(happenings).flatMap(([name, other]) => (other.obstacle(situation) === null ? name : []))
    throw unfit(`does not fit: ${problem}. ${fitting.length > 0 ? `These fit now: ${fitting.join(', ')}` : 'No event fits now'}`)
  }
  await happen(situation, body)
}
