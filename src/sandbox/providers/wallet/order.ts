import type { BookedOperation } from '../../core/books.ts'
import { documentStore } from '../../core/documents.ts'
import type { OperationStatus } from '../../core/operation.ts'
import type { Sandbox } from '../../sandbox.ts'
import type { Address, ExperienceContext, OrderRequest, PurchaseUnit } from './order.schema.ts'

/** The merchant's webhook. The real provider's portal stores it; the simulator gets it with each order. */
export interface Webhook {
  url: string
  id: string
  /** The simulator's URL as the merchant reaches it: the signing certificate is fetched from there. */
  origin: string
}

/** The last answer of the merchant's listener (API §4.12). `message` is shown to the buyer. */
export type CallbackState =
  | { status: 'none' | 'answered' }
  /** The shop does not deliver there; the buyer may choose another address. */
  | { status: 'declined'; issue: string; message: string }
  /** No usable answer: the previous totals stay. */
  | { status: 'broken'; issue: string; message: string }

/** A stored order. Its payments are in the books only. */
export interface WalletOrder {
  id: string
  payment_service_id: string
  /** The client id that opened it: only a page with the script of the same client may show it. */
  client: string
  intent: OrderRequest['intent']
  created_at: string
  approved: boolean
  /** The unit of the request, with the amount and shipping options of the listener's last answer. */
  unit: PurchaseUnit
  context: ExperienceContext
  /** The shipping address that the buyer chose; null without shipping. */
  address: Address | null
  /** Whether the account that pays is stored. Absent from orders of earlier versions. */
  stores?: boolean
  /** The stored account that pays, or that the payment stored. */
  account?: string
  /** The buyer's funding source: one that works, or one that is refused when the order is paid. */
  funding: 'good' | 'refused'
  callback: CallbackState
  /** The invoice ids of captures and refunds, by their own ids. */
  invoices: Record<string, string>
  /** The captures of refunds, by the refunds' ids. Orders of earlier versions were captured once. */
  refundedCaptures?: Record<string, string>
  webhook: Webhook | null
}

const orders = documentStore<WalletOrder>('wallet/order')
/** The stored accounts of a payment service; they all have the simulator's only buyer. */
const accountsOf = (service: string) => documentStore<{ order: string }>(`wallet/account/${service}`)
/** The order that a request opened. */
const orderIdsOf = (service: string) => documentStore<string>(`wallet/request/${service}`)

/** An order of this payment service; undefined if it belongs to another. */
export function orderOf(sandbox: Sandbox, service: string, id: string): WalletOrder | undefined {
  const order = orders.find(sandbox, id)
  return order?.payment_service_id === service ? order : undefined
}

/** The order that an earlier request with this id opened. */
export function orderOfRequest(sandbox: Sandbox, service: string, request: string): WalletOrder | undefined {
  const id = orderIdsOf(service).find(sandbox, request)
  return id === undefined ? undefined : orderOf(sandbox, service, id)
}

export const saveOrder = (sandbox: Sandbox, order: WalletOrder): WalletOrder =>
  orders.store(sandbox, order.id, order)

export function rememberRequest(
  sandbox: Sandbox,
  { payment_service_id, id }: WalletOrder,
  request: string,
): void {
  orderIdsOf(payment_service_id).store(sandbox, request, id)
}

/** Stores the account of the order's buyer; answers its token. */
export function storeAccount(sandbox: Sandbox, { id: order, payment_service_id }: WalletOrder): string {
  const account = walletId(sandbox).toLowerCase()
  accountsOf(payment_service_id).store(sandbox, account, { order })
  return account
}

export const isStoredAccount = (sandbox: Sandbox, service: string, account: string): boolean =>
  accountsOf(service).find(sandbox, account) !== undefined

/** An id in the wallet's form: seventeen capital letters and digits, from the random end of a UUID. */
export const walletId = ({ ids }: Sandbox): string =>
  BigInt(`0x${ids.next().replaceAll('-', '')}`)
    .toString(36)
    .toUpperCase()
    .slice(-17)

/** All operations on the order's money, oldest first. */
export const operationsOn = ({ books }: Sandbox, { id }: WalletOrder): BookedOperation[] =>
  [...books.operations.values()].filter(({ result }) => result.payment_id === id)

/** Whether the order has its authorization, or its capture at once; a pending one counts. */
export function isPaid({ books }: Sandbox, { id }: WalletOrder): boolean {
  const payment = books.payments.get(id)
  return payment?.authorization === 'approved' || payment?.authorization === 'pending'
}

/** What a capture's refunds of these statuses have taken. */
export const refundedOf = (
  sandbox: Sandbox,
  order: WalletOrder,
  capture: string,
  statuses: readonly OperationStatus[],
): number =>
  operationsOn(sandbox, order)
    .filter(({ result: { kind, status } }) => kind === 'refund' && statuses.includes(status))
    .filter(({ result: { id } }) => (order.refundedCaptures?.[id] ?? capture) === capture)
    .reduce((sum, { result }) => sum + result.amount, 0)

/** The order and the operation that made an authorization, a capture or a refund. */
export function movementOf(
  sandbox: Sandbox,
  service: string,
  id: string,
): { order: WalletOrder; booked: BookedOperation } | undefined {
  const booked = [...sandbox.books.operations.values()].find(({ result }) => result.id === id)
  const order = booked && orderOf(sandbox, service, booked.result.payment_id)
  return order && { order, booked }
}
