import type { Statements } from '../database/statements.ts'
import type { DeliveryBody } from './delivery-body.ts'
import type { EventRow } from './event.row.ts'

/** What a subscription of orders is sent for an event. */
export interface OrderDelivery {
  /** The payment of the order: deliveries of one payment are sent one after the other. */
  target: string
  /** An earlier delivery of this payment waits. */
  isBlocked: boolean
  /** The order as it is now. */
  body: DeliveryBody
}

/** By the event's id. An event that is about no order is left out. */
export type ReadOrderDeliveries = (
  world: { run: Statements },
  subscription: string,
  events: readonly EventRow[],
) => Promise<ReadonlyMap<string, OrderDelivery>>
