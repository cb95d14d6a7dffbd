import { firstError } from '../../core/first-error.ts'
import { authenticatedCall, idempotentCall } from '../../core/merchant-call.ts'
import type { FollowUpKind } from '../../core/operation.ts'
import { findOperation, processOnce } from '../../core/processing.ts'
import {
  type Answer,
  badRequest,
  type Call,
  type Incoming,
  json,
  notFound,
  problem,
} from '../../core/provider-messages.ts'
import { isSaleBody, type ProviderRequest } from '../../core/provider-request.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'
import { decideFollowUp } from '../card/follow-up-operation.ts'
import { decideCheckout, decideForBuyer, pageUrl, showCheckout } from './checkout.ts'
import { newOrder, type Order, orderBody, orderOf, storeOrder } from './order.ts'
import { payOrder } from './payment.ts'

/**
 * The sandbox's provider of all payment methods without a simulator of their own:
 * `/redirect/{payment_service_id}/…`.
 */
export const redirectProvider: Provider = {
  receive,
  notification: (_sandbox, { payment_id }, { key }) => ({ body: JSON.stringify({ key, payment_id }) }),
  decideForBuyer,
}

const followUpKinds: Readonly<Record<string, FollowUpKind>> = {
  captures: 'capture',
  refunds: 'refund',
  void: 'void',
  cancel: 'cancel',
}

function receive(sandbox: Sandbox, incoming: Incoming): Call | null {
  const { method, path, body } = incoming
  const [, service, resource, id = '', action = '', ...rest] = path
  if (!service || !resource || rest.length > 0) return null
  const request: ProviderRequest = { sandbox, incoming, service }
  switch (`${method} ${resource}${id && '/id'}${action && '/action'}`) {
    case 'POST orders':
      return idempotentCall(request, 'approval', (key) => openOrder(request, key))
    case 'GET orders/id':
      return authenticatedCall(request, 'find', null, () => readOrder(request, id))
    case 'DELETE orders/id':
      return idempotentCall(request, 'cancel', () => closeOrder(request, id))
    case 'POST payments':
      return idempotentCall(request, isSaleBody(body) ? 'sale' : 'authorize', (key) => payOrder(request, key))
    case 'POST payments/id/action': {
      const kind = followUpKinds[action]
      return kind ? idempotentCall(request, kind, (key) => changePayment(request, key, kind, id)) : null
    }
    case 'GET operations/id':
      return authenticatedCall(request, 'find', id, () => findOperation(sandbox, service, id))
    case 'GET account':
      return authenticatedCall(request, 'account', null, () =>
        json(200, { merchant_id: incoming.headers['x-merchant-id'] }),
      )
    case 'GET checkout/id':
      return page(request, () => showCheckout(request, id))
    case 'POST checkout/id/action':
      return page(request, () => decideCheckout(request, id, action) ?? notFound)
    default:
      return null
  }
}

const page = ({ service }: ProviderRequest, process: () => Answer): Call => ({
  payment_service_id: service,
  operation: 'page',
  key: null,
  process,
})

const showOrder = (sandbox: Sandbox, order: Order) => {
  const { id, status, body } = order
  return {
    key: id,
    order_id: id,
    status,
    method: body.method,
    amount: body.amount,
    currency: body.currency,
    url: pageUrl(sandbox, order),
  }
}

function openOrder({ sandbox, service, incoming: { body } }: ProviderRequest, key: string): Answer {
  if (!orderBody.Check(body)) return badRequest(firstError(orderBody, body))
  const order = orderOf(sandbox, service, key) ?? newOrder(sandbox, service, key, body)
  return { ...json(201, showOrder(sandbox, order)), key }
}

function readOrder({ sandbox, service }: ProviderRequest, id: string): Answer {
  const order = orderOf(sandbox, service, id)
  return order ? json(200, showOrder(sandbox, order)) : notFound
}

/** Closes an order, so that it can be neither approved nor paid. A paid order stays paid. */
function closeOrder({ sandbox, service }: ProviderRequest, id: string): Answer {
  const order = orderOf(sandbox, service, id)
  if (order?.paid_by) return problem(409, 'paid', 'this order is paid')
  if (order) storeOrder(sandbox, { ...order, status: 'closed' })
  return { status: 204, body: '' }
}

/** Cancelling a payment that was approved meanwhile voids it. */
const releaseKind = ({ books }: Sandbox, payment: string): 'void' | 'cancel' => {
  const { authorization, captured } = books.payments.get(payment) ?? {}
  return authorization === 'approved' && captured === 0 ? 'void' : 'cancel'
}

function changePayment(
  { sandbox, service, incoming: { body } }: ProviderRequest,
  key: string,
  kind: FollowUpKind,
  payment_id: string,
): Answer {
  const { amount, final } =
    typeof body === 'object' && body !== null ? (body as { amount?: unknown; final?: unknown }) : {}
  const hasAmount = kind === 'capture' || kind === 'refund'
  if (hasAmount && !(typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0))
    return badRequest('amount must be a whole number above 0')
  const executedKind = kind === 'cancel' ? releaseKind(sandbox, payment_id) : kind
  const followUp = {
    service,
    key,
    kind: executedKind,
    payment_id,
    amount: hasAmount ? Number(amount) : null,
    final: final === true,
  }
  return processOnce(
    sandbox,
    { payment_service_id: service, key, path: `payments/${payment_id}/${kind}`, body },
    () => decideFollowUp(sandbox, followUp),
  )
}
