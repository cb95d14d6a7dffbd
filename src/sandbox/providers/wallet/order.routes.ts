import { Compile } from '../../../base/compile.ts'
import { record } from '../../core/books.ts'
import { approveNow, isPending } from '../../core/pending.ts'
import { type Answer, type Incoming, json } from '../../core/provider-messages.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import { addressOnFile } from './addresses.ts'
import { notFound, walletError } from './errors.ts'
import { OrderPatch, OrderRequest } from './order.schema.ts'
import {
  isPaid,
  movementOf,
  operationsOn,
  orderOf,
  orderOfRequest,
  rememberRequest,
  saveOrder,
  type WalletOrder,
  type Webhook,
  walletId,
} from './order.ts'
import { orderIssue } from './order-rules.ts'
import { showAuthorization, showCapture, showOrder, showRefund } from './representation.ts'

const orderRequest = Compile(OrderRequest)

/** POST /v2/checkout/orders: opens an order, once for each request id. */
export function openOrder(sandbox: Sandbox, service: string, client: string, incoming: Incoming): Answer {
  const request = headerOf(incoming, 'paypal-request-id')
  if (!request) return walletError(400, 'PAYPAL_REQUEST_ID_REQUIRED')
  const existing = orderOfRequest(sandbox, service, request)
  if (existing) return json(200, showOrder(sandbox, existing))
  const { body } = incoming
  if (!orderRequest.Check(body)) {
    const [error] = orderRequest.Errors(body)
    return walletError(400, 'INVALID_PARAMETER_SYNTAX', error?.instancePath)
  }
  const [unit] = body.purchase_units
  const { experience_context: context = {}, attributes } = body.payment_source?.paypal ?? {}
  const issue = unit && orderIssue(unit, context)
  if (!unit || issue) return walletError(422, issue ?? 'REFERENCE_ID_REQUIRED')
  const order = saveOrder(sandbox, {
    id: walletId(sandbox),
    payment_service_id: service,
    client,
    intent: body.intent,
    created_at: timestamp(sandbox),
    approved: false,
    unit,
    context,
    address: firstAddress(context, unit),
    stores: attributes !== undefined,
    funding: 'good',
    callback: { status: 'none' },
    invoices: {},
    webhook: webhookOf(incoming, service),
  })
  rememberRequest(sandbox, order, request)
  return json(201, showOrder(sandbox, order))
}

function firstAddress(
  { shipping_preference }: WalletOrder['context'],
  { shipping }: WalletOrder['unit'],
): WalletOrder['address'] {
  if (shipping_preference === 'NO_SHIPPING') return null
  return shipping_preference === 'SET_PROVIDED_ADDRESS' ? (shipping?.address ?? null) : addressOnFile
}

/** The webhook from the headers, which replace the real provider's portal. */
function webhookOf(incoming: Incoming, service: string): Webhook | null {
  const url = headerOf(incoming, 'x-sandbox-webhook-url')
  const id = headerOf(incoming, 'x-sandbox-webhook-id')
  return url && id ? { url, id, origin: `http://${incoming.headers.host}/wallet/${service}` } : null
}

export function headerOf({ headers }: Incoming, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** GET /v2/checkout/orders/{id}. An operation that was read as pending is final the next time. */
export function readOrder(sandbox: Sandbox, service: string, id: string): Answer {
  const order = orderOf(sandbox, service, id)
  if (!order) return notFound
  return { ...json(200, showCurrent(sandbox, order)), delivered: () => markReported(sandbox, order) }
}

function showCurrent(sandbox: Sandbox, order: WalletOrder) {
  for (const booked of operationsOn(sandbox, order))
    if (booked.reported && isPending(booked)) approveNow(sandbox, booked.result.key)
  return showOrder(sandbox, order)
}

function markReported(sandbox: Sandbox, order: WalletOrder): void {
  for (const booked of operationsOn(sandbox, order)) {
    if (isPending(booked) && !booked.reported)
      record(sandbox.books, { entry: 'reported', key: booked.result.key })
  }
}

const orderPatch = Compile(OrderPatch)

/** PATCH /v2/checkout/orders/{id}: the other intent, as long as the order is not paid. */
export function changeIntent(sandbox: Sandbox, service: string, id: string, body: unknown): Answer {
  const order = orderOf(sandbox, service, id)
  if (!order) return notFound
  if (!orderPatch.Check(body)) return walletError(422, 'NOT_PATCHABLE')
  if (isPaid(sandbox, order)) return walletError(422, 'ORDER_ALREADY_COMPLETED')
  saveOrder(sandbox, { ...order, intent: body[0].value })
  return { status: 204, body: '' }
}

type Movements = 'authorizations' | 'captures' | 'refunds'

export const isMovements = (resource: string): resource is Movements =>
  ['authorizations', 'captures', 'refunds'].includes(resource)

/** GET /v2/payments/authorizations|captures|refunds/{id}. */
export function readMovement(sandbox: Sandbox, service: string, resource: Movements, id: string): Answer {
  const found = movementOf(sandbox, service, id)
  if (!found) return notFound
  const { order } = found
  showCurrent(sandbox, order)
  const { result } = movementOf(sandbox, service, id)?.booked ?? found.booked
  const representations: Record<Movements, () => object | null> = {
    authorizations: () => (result.kind === 'authorize' ? showAuthorization(sandbox, order, result) : null),
    captures: () =>
      result.kind === 'capture' || result.kind === 'sale' ? showCapture(sandbox, order, result) : null,
    refunds: () => (result.kind === 'refund' ? showRefund(order, result) : null),
  }
  const body = representations[resource]()
  return body ? { ...json(200, body), delivered: () => markReported(sandbox, order) } : notFound
}
