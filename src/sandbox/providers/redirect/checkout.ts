import { notifyMerchant } from '../../core/notify-merchant.ts'
import {
  type Answer,
  type BuyerDecision,
  type BuyerDecisionResult,
  json,
  notFound,
  problem,
} from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'
import type { CheckoutPage } from '../../page/checkout.page.ts'
import { pageAnswer, wantsPage } from '../../page/html-answer.ts'
import type { Sandbox } from '../../sandbox.ts'
import { type Order, type OrderStatus, orderOf, storeOrder } from './order.ts'

const decisions = new Map<string, OrderStatus>([
  ['approve', 'approved'],
  ['decline', 'declined'],
  ['cancel', 'cancelled'],
])

const states: Record<OrderStatus, CheckoutPage['state']> = {
  waiting: 'open',
  approved: 'approved',
  declined: 'declined',
  cancelled: 'cancelled',
  closed: 'expired',
  expired: 'expired',
}

const returnUrlOf = ({ status, body: { return_urls: urls } }: Order): string | undefined =>
  status === 'approved'
    ? urls.approved
    : status === 'declined'
      ? urls.failed
      : status === 'cancelled'
        ? urls.cancelled
        : undefined

export const pageUrl = ({ pagesUrl }: Sandbox, { service, id }: Pick<Order, 'service' | 'id'>) =>
  `${pagesUrl()}/redirect/${service}/checkout/${id}`

const meanings: Readonly<Record<string, string>> = {
  account: 'The money is taken from your account, or reserved there for the shop.',
  push: 'The money leaves your account at once.',
  transfer: 'You order a transfer at your bank. The shop hears later whether it has arrived.',
  debit:
    'You allow the shop to collect the money from your bank account. It hears later whether your bank has paid.',
  voucher: 'You take a slip to a shop or a cash machine and pay there. The merchant hears of it later.',
}

function pageOf(sandbox: Sandbox, order: Order): CheckoutPage {
  const { method, kind, amount, currency, country, merchant, description, lines } = order.body
  return {
    provider: 'Simulator',
    state: states[order.status],
    returnUrl: returnUrlOf(order),
    order: {
      merchant,
      locale: country ? `en-${country}` : 'en',
      currency,
      amount,
      lines:
        lines.length > 0 ? lines : [{ name: description ?? `Payment by ${method}`, quantity: 1, amount }],
      breakdown: [],
      shipTo: null,
      options: [],
      problem: null,
      canApprove: true,
      approve: { label: `Pay with ${method}`, meaning: meanings[kind] ?? '' },
      actions: pageUrl(sandbox, order),
    },
  }
}

/** The page on which the buyer decides; JSON for other clients. */
export function showCheckout(request: ProviderRequest, id: string): Answer {
  const order = orderOf(request.sandbox, request.service, id)
  if (!order)
    return wantsPage(request.incoming) ? pageAnswer({ provider: 'Simulator', state: 'unknown' }) : notFound
  if (wantsPage(request.incoming)) return pageAnswer(pageOf(request.sandbox, order))
  const { amount, currency, method, kind } = order.body
  return json(200, { order_id: id, status: order.status, method, kind, amount, currency })
}

/** Takes the buyer's first decision. A buyer who posts again goes where the first decision led. */
export function decideCheckout(request: ProviderRequest, id: string, decision: string): Answer | null {
  const status = decisions.get(decision)
  const { sandbox, service } = request
  if (!status) return null
  const order = orderOf(sandbox, service, id)
  const decided = order && (order.status === 'waiting' ? decideOrder(sandbox, order, status) : order)
  const to = decided && returnUrlOf(decided)
  if (wantsPage(request.incoming))
    return to ? { status: 303, body: '', headers: { location: to } } : showCheckout(request, id)
  if (!decided) return notFound
  return to ? json(200, { redirect_to: to }) : problem(403, 'closed', 'this page is closed')
}

function decideOrder(sandbox: Sandbox, order: Order, status: OrderStatus): Order {
  const { service, id, body } = order
  const decided = storeOrder(sandbox, { ...order, status })
  const message = { body: JSON.stringify({ key: id }) }
  void notifyMerchant({
    sandbox,
    payment_service_id: service,
    operation: 'approval',
    bin: null,
    url: body.notification_url,
    message,
  })
  return decided
}

/** Decides for the buyer, as the simulation endpoint asks. */
export function decideForBuyer(
  sandbox: Sandbox,
  service: string,
  id: string,
  decision: BuyerDecision,
): BuyerDecisionResult {
  const order = orderOf(sandbox, service, id)
  if (!order) return 'unknown'
  if (order.status !== 'waiting') return 'refused'
  decideOrder(sandbox, order, decision === 'approve' ? 'approved' : 'cancelled')
  return 'decided'
}
