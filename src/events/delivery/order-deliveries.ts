import type { World } from '../../world.ts'
import type { DueEvent, NewEvent } from './queued-events.store.ts'
import type { LeasedQueue } from './webhook-queue.store.ts'

interface Found {
  waiting: readonly DueEvent[]
  fresh: readonly NewEvent[]
}

/**
 * The events of a queue of orders: each is about the payment of its order, and events about no order count as
 * sent. The body is the order at this time, which is never older than that of the event before.
 */
export async function toOrders(
  world: World,
  { subscription }: Pick<LeasedQueue, 'subscription'>,
  { waiting, fresh }: Found,
): Promise<Found & { bodies: ReadonlyMap<string, string> }> {
  const orders = await world.orderDeliveries(world, subscription, [
    ...waiting,
    ...fresh.filter(({ state }) => state !== 'recorded'),
  ])
  return {
    waiting: waiting.map((event) => {
      const order = orders.get(event.id)
      return order ? { ...event, target_id: order.target } : event
    }),
    fresh: fresh.map((event): NewEvent => {
      const order = orders.get(event.id)
      if (!order) return { ...event, state: 'recorded' }
      return { ...event, target_id: order.target, state: order.isBlocked ? 'blocked' : 'new' }
    }),
    bodies: new Map([...orders].map(([id, { body }]) => [id, body])),
  }
}
