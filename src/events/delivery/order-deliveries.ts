import type { World } from '../../world.ts'
import type { DeliveryBody, Unsendable } from '../delivery-body.ts'
import type { DueEvent, NewEvent } from './queued-events.store.ts'
import type { LeasedQueue } from './webhook-queue.store.ts'

interface Found {
  waiting: readonly DueEvent[]
  fresh: readonly NewEvent[]
}

/** A delivery waits for an order that is not there any more. */
const retired: Unsendable = { reason: 'not sent: the payment of the order is retired', isFinal: true }

/**
 * The events of a queue of orders: each is about the payment of its order, and new events about no order count as
 * sent. The body is the order at this time, which is never older than that of the event before.
 */
export async function toOrders(
  world: World,
  { subscription }: Pick<LeasedQueue, 'subscription'>,
  { waiting, fresh }: Found,
): Promise<Found & { bodies: ReadonlyMap<string, DeliveryBody> }> {
  const orders = await world.orderDeliveries(world, subscription, [
    ...waiting,
    ...fresh.filter(({ state }) => state !== 'recorded'),
  ])
  return {
    waiting,
    fresh: fresh.map((event): NewEvent => {
      const order = orders.get(event.id)
      if (!order) return { ...event, state: 'recorded' }
      return { ...event, target_id: order.target, state: order.isBlocked ? 'blocked' : 'new' }
    }),
    bodies: new Map([
      ...waiting.map(({ id }) => [id, retired] as const),
      ...[...orders].map(([id, { body }]) => [id, body] as const),
    ]),
  }
}
