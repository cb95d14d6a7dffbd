import { type BookedOperation, record } from '../../core/books.ts'
import type { Sandbox } from '../../sandbox.ts'
import type { Address, ExperienceContext, OrderRequest, PurchaseUnit } from './order.schema.ts'

/** Where the merchant hears of what happens: entered at the real provider once, told to the simulator with each order. */
export interface Webhook {
  url: string
  id: string
  /** The simulator as the merchant reaches it: certificates are fetched from there. */
  origin: string
}

/** How the merchant's listener answered last (API §4.12). `message` is what the buyer is shown. */
export type CallbackState =
  | { status: 'none' | 'answered' }
  /** It does not deliver there; the buyer may choose another address. */
  | { status: 'declined'; issue: string; message: string }
  /** No usable answer: what was shown before stays. */
  | { status: 'broken'; issue: string; message: string }

/** An order as the simulator keeps it. What was paid on it is in the books alone. */
export interface WalletOrder {
  id: string
  payment_service_id: string
  /** The client id that opened it: only a page with the script of the same client may show it. */
  client: string
  intent: OrderRequest['intent']
  created_at: string
  approved: boolean
  /** As it was asked for; its amount and shipping options as the listener last said. */
  unit: PurchaseUnit
  context: ExperienceContext
  /** Where the buyer has it sent; null without shipping. */
  address: Address | null
  /** What the buyer pays with: a funding source that works, or one that is refused when the money is asked for. */
  funding: 'good' | 'refused'
  callback: CallbackState
  /** The invoice ids of captures and refunds, by their own ids. */
  invoices: Record<string, string>
  webhook: Webhook | null
}

const orderKey = (id: string) => `wallet/order/${id}`
const requestKey = (service: string, request: string) => `wallet/request/${service}/${request}`

/** Only `saveOrder` writes under these keys. */
const asOrder = (document: unknown) => document as WalletOrder | undefined

/** Another payment service's order is nobody's business. */
export function orderOf({ books }: Sandbox, service: string, id: string): WalletOrder | undefined {
  const order = asOrder(books.documents.get(orderKey(id)))
  return order?.payment_service_id === service ? order : undefined
}

/** The order that a request has opened before. */
export function orderOfRequest(sandbox: Sandbox, service: string, request: string): WalletOrder | undefined {
  const id = sandbox.books.documents.get(requestKey(service, request))
  return typeof id === 'string' ? orderOf(sandbox, service, id) : undefined
}

export function saveOrder({ books }: Sandbox, order: WalletOrder): WalletOrder {
  record(books, { entry: 'document', id: orderKey(order.id), document: order })
  return order
}

export function rememberRequest({ books }: Sandbox, { payment_service_id, id }: WalletOrder, request: string): void {
  record(books, { entry: 'document', id: requestKey(payment_service_id, request), document: id })
}

/** Seventeen capital letters and digits, as the wallet's ids are: the random end of a UUID. */
export const walletId = ({ ids }: Sandbox): string =>
  BigInt(`0x${ids.next().replaceAll('-', '')}`)
    .toString(36)
    .toUpperCase()
    .slice(-17)

/** Everything that was asked on the order's money, oldest first. */
export const operationsOn = ({ books }: Sandbox, { id }: WalletOrder): BookedOperation[] =>
  [...books.operations.values()].filter(({ result }) => result.payment_id === id)

/** The order and the operation that made an authorization, a capture or a refund. */
export function movementOf(sandbox: Sandbox, service: string, id: string): { order: WalletOrder; booked: BookedOperation } | undefined {
  const booked = [...sandbox.books.operations.values()].find(({ result }) => result.id === id)
  const order = booked && orderOf(sandbox, service, booked.result.payment_id)
  return order && { order, booked }
}
