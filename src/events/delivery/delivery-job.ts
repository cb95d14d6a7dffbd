import type { DeliveryBody } from '../delivery-body.ts'
import type { EventRow } from '../event.row.ts'
import type { DeliveryOutcome } from './webhook-queue.store.ts'

/** An event without its body. */
type EventWithoutTarget = Omit<EventRow, 'target'>

export interface UnsentDelivery {
  event: EventWithoutTarget
  /** Not in `webhook_deliveries` yet. */
  isNew: boolean
  tries: number
  giveUpAt: string
}

export interface DeliveryJob extends UnsentDelivery {
  body: DeliveryBody
}

/** The deliveries of one resource are sent one after the other. */
export const resourceKey = ({ merchant_account_id, target_id }: EventWithoutTarget): string =>
  `${merchant_account_id}\n${target_id}`

/** The columns that outcomes are written with. */
export const withoutTarget = ({ target: _, ...event }: EventRow): EventWithoutTarget => event

/** What is written of a delivery after an attempt, or (`attempt` null) when it must wait for an earlier one. */
export function outcomeOf(
  { event, tries, giveUpAt }: UnsentDelivery,
  { status, attempt, due_at }: Pick<DeliveryOutcome, 'status' | 'attempt' | 'due_at'>,
): DeliveryOutcome {
  const { id, merchant_account_id, position, sequence, target_id, created_at, name } = event
  return {
    id,
    merchant_account_id,
    position,
    sequence,
    target_id,
    created_at,
    event_name: name,
    status,
    attempt,
    due_at,
    tries: attempt ? tries + 1 : tries,
    give_up_at: giveUpAt,
  }
}
