import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { record } from '../../core/books.ts'
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

/** What a buyer is asked to approve. Its id is the key of the request that opened it. */
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
const documentKey = (id: string) => `redirect/order/${id}`

/** Keeps an order as it now is: a restart forgets none. */
export function storeOrder({ books }: Sandbox, order: Order): Order {
  record(books, { entry: 'document', id: documentKey(order.id), document: order })
  return order
}

export const newOrder = (sandbox: Sandbox, service: string, id: string, body: OrderBody): Order =>
  storeOrder(sandbox, { service, id, body, status: 'waiting', opened_at: timestamp(sandbox), paid_by: null })

/** An order of this payment service; one that waits for too long has expired. */
export function orderOf({ books, clock }: Sandbox, service: string, id: string): Order | undefined {
  // only `storeOrder` writes under these names
  const order = books.documents.get(documentKey(id)) as Order | undefined
  if (order?.service !== service) return undefined
  const isOver = order.status === 'waiting' && clock.now() >= Date.parse(order.opened_at) + LIFE_MS
  return isOver ? { ...order, status: 'expired' } : order
}
