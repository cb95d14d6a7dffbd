import { type Static, Type } from 'typebox'
import { Compile } from '../../../base/compile.ts'
import { documentStore } from '../../core/documents.ts'
import type { Sandbox } from '../../sandbox.ts'
import { timestamp } from '../../sandbox.ts'

const Text = Type.String({ maxLength: 2_000 })

export const OrderBody = Type.Object({
  method: Text,
  kind: Text,
  amount: Type.Integer({ minimum: 1 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  country: Type.Union([Text, Type.Null()]),
  merchant: Text,
  description: Type.Union([Text, Type.Null()]),
  lines: Type.Array(Type.Object({ name: Text, quantity: Type.Integer(), amount: Type.Integer() })),
  return_urls: Type.Object({ approved: Text, cancelled: Text, failed: Text }),
  notification_url: Text,
})
export type OrderBody = Static<typeof OrderBody>
export const orderBody = Compile(OrderBody)

export type OrderStatus = 'waiting' | 'approved' | 'declined' | 'cancelled' | 'closed' | 'expired'

/** The order that a buyer approves. Its id is the idempotency key of the request that opened it. */
export interface Order {
  service: string
  id: string
  body: OrderBody
  status: OrderStatus
  opened_at: string
  /** The key of the payment that paid it; an order is paid once. */
  paid_by: string | null
}

const LIFE_MS = 72 * 3_600_000
const orders = documentStore<Order>('redirect/order')

export const storeOrder = (sandbox: Sandbox, order: Order): Order => orders.store(sandbox, order.id, order)

export const newOrder = (sandbox: Sandbox, service: string, id: string, body: OrderBody): Order =>
  storeOrder(sandbox, { service, id, body, status: 'waiting', opened_at: timestamp(sandbox), paid_by: null })

/** An order of this payment service. An order that waits for too long is expired. */
export function orderOf(sandbox: Sandbox, service: string, id: string): Order | undefined {
  const order = orders.find(sandbox, id)
  if (order?.service !== service) return undefined
  const isOver = order.status === 'waiting' && sandbox.clock.now() >= Date.parse(order.opened_at) + LIFE_MS
  return isOver ? { ...order, status: 'expired' } : order
}
