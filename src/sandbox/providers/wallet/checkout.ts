import { Compile } from '../../../base/compile.ts'
import {
  type Answer,
  type BuyerDecision,
  type BuyerDecisionResult,
  type Incoming,
  json,
} from '../../core/provider-messages.ts'
import type { Popup } from '../../page/checkout.page.ts'
import { pageAnswer, wantsPage } from '../../page/html-answer.ts'
import type { Sandbox } from '../../sandbox.ts'
import { addressNamed } from './addresses.ts'
import { noSuchOrder, pageOf } from './checkout.page.ts'
import type { CheckoutState } from './checkout-state.ts'
import { Address } from './order.schema.ts'
import { orderOf, saveOrder, type WalletOrder } from './order.ts'
import { payer, showOrder } from './representation.ts'
import { changeAddress, chooseOption, isAwaitingListener, refreshShipping } from './shipping.ts'
import { notifyApproval, type Signer } from './webhooks.ts'

function stateOf(
  sandbox: Sandbox,
  order: WalletOrder,
  refusal: CheckoutState['error'] = null,
): CheckoutState {
  const { context, unit, callback } = order
  const failure =
    callback.status === 'declined' || callback.status === 'broken'
      ? { issue: callback.issue, message: callback.message }
      : null
  return {
    order: order.id,
    status: showOrder(sandbox, order).status,
    merchant: context.brand_name ?? null,
    locale: context.locale ?? 'en',
    user_action: context.user_action ?? 'CONTINUE',
    amount: unit.amount,
    description: unit.description ?? null,
    items: unit.items ?? [],
    payer: { name: `${payer.name.given_name} ${payer.name.surname}`, email: payer.email_address },
    address: order.address,
    can_change_address: canChooseAddress(order),
    shipping_options: unit.shipping?.options ?? [],
    refused: order.approved && order.funding === 'refused',
    error: refusal ?? failure,
    can_approve: !order.approved && !isAwaitingListener(order),
  }
}

const canChooseAddress = ({ context, approved }: WalletOrder) =>
  !approved && (context.shipping_preference ?? 'GET_FROM_FILE') === 'GET_FROM_FILE'

/**
 * `/wallet/{service}/checkout/{order}[/{action}]`: the requests of a buyer's browser. Other clients get JSON.
 */
export async function checkout(
  sandbox: Sandbox,
  signer: Signer,
  service: string,
  incoming: Incoming,
  [id = '', action]: string[],
): Promise<Answer | null> {
  const order = orderOf(sandbox, service, id)
  if (!order) return wantsPage(incoming) ? pageAnswer(noSuchOrder) : noOrder
  const request = { sandbox, signer, incoming, order }
  if (action === undefined) {
    // after a change the listener was called already, and its answer is shown
    const isFirstLoad = !incoming.query.has('changed')
    return incoming.method === 'GET'
      ? show(request, isFirstLoad ? await refreshShipping(sandbox, order) : order)
      : null
  }
  const act = incoming.method === 'POST' ? actions.get(action) : undefined
  return act ? act(request) : null
}

const noOrder = json(404, { message: 'There is no such order' })

/** Whether a page with this client's script may show the order. */
export function handoff(sandbox: Sandbox, service: string, id: string, client: string | null): Answer {
  const order = orderOf(sandbox, service, id)
  const answer = !order
    ? noOrder
    : order.client === client
      ? json(200, { id: order.id })
      : json(403, { message: 'The order belongs to another client id than the script was loaded with' })
  return { ...answer, headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' } }
}

interface CheckoutRequest {
  sandbox: Sandbox
  signer: Signer
  incoming: Incoming
  order: WalletOrder
}

function show(request: CheckoutRequest, order: WalletOrder, refusal: CheckoutState['error'] = null): Answer {
  const state = stateOf(request.sandbox, order, refusal)
  const status = refusal ? 409 : 200
  if (!wantsPage(request.incoming)) return json(status, state)
  const page = pageOf(state, {
    actions: pageUrl(request),
    // only a window that closes shows the cancellation: the order itself does not change
    cancelled: request.incoming.query.has('cancelled'),
    returnUrl: order.approved ? returnUrlOf({ ...request, order }) : undefined,
    popup: popupOf(request),
  })
  return { ...pageAnswer(page), status }
}

const pageUrl = ({ sandbox, order }: CheckoutRequest) =>
  `${sandbox.pagesUrl()}/wallet/${order.payment_service_id}/checkout/${order.id}`

/** The merchant's page that opened this one in a new window. */
function popupOf({ incoming, order }: CheckoutRequest): Popup | undefined {
  const origin = incoming.query.get('popup')
  return origin && URL.canParse(origin) && new URL(origin).origin === origin
    ? { order: order.id, origin }
    : undefined
}

/** A redirect to the page itself, in the same window. */
function reloadPage(request: CheckoutRequest, mark?: 'cancelled' | 'changed'): Answer {
  const url = new URL(pageUrl(request))
  const popup = popupOf(request)
  if (popup) url.searchParams.set('popup', popup.origin)
  if (mark) url.searchParams.set(mark, '')
  return { status: 303, body: '', headers: { location: url.href, 'cache-control': 'no-store' } }
}

/**
 * Redirects the browser; other clients get the URL as JSON. A window that the merchant's page opened reports
 * to that page and closes.
 */
function redirectBrowser(request: CheckoutRequest, url: string, mark?: 'cancelled'): Answer {
  if (!wantsPage(request.incoming)) return json(200, { redirect_to: url })
  return popupOf(request)
    ? reloadPage(request, mark)
    : { status: 303, body: '', headers: { location: url, 'cache-control': 'no-store' } }
}

const showRefusal = (request: CheckoutRequest, issue: string, message: string) =>
  show(request, request.order, { issue, message })

const actions = new Map<string, (request: CheckoutRequest) => Answer | Promise<Answer>>([
  ['approve', (request) => approve(request, 'good')],
  // the buyer does not notice: the funding source is refused when the order is paid
  ['decline', (request) => approve(request, 'refused')],
  [
    'cancel',
    (request) =>
      redirectBrowser(
        request,
        withParameters(request.order.context.cancel_url ?? pageUrl(request), { token: request.order.id }),
        'cancelled',
      ),
  ],
  ['address', handleAddressChange],
  ['option', handleOptionChoice],
])

/** Approving twice has one effect, with the funding source of the first time. */
function approve(request: CheckoutRequest, funding: WalletOrder['funding']): Answer {
  const { sandbox, signer, order } = request
  if (!order.approved) {
    if (isAwaitingListener(order))
      return showRefusal(
        request,
        'SHIPPING_NOT_CONFIRMED',
        'The shop has not said yet what it costs to send it there.',
      )
    approveOrder(sandbox, signer, order, funding)
  }
  return redirectBrowser(request, returnUrlOf(request))
}

function approveOrder(
  sandbox: Sandbox,
  signer: Signer,
  order: WalletOrder,
  funding: WalletOrder['funding'],
): void {
  const approved = saveOrder(sandbox, { ...order, approved: true, funding })
  void notifyApproval(sandbox, signer, approved).catch(() => undefined)
}

/** Decides for the buyer, as the simulation endpoint asks. A rejection leaves the order as it is. */
export async function decideForBuyer(
  sandbox: Sandbox,
  signer: Signer,
  service: string,
  id: string,
  decision: BuyerDecision,
): Promise<BuyerDecisionResult> {
  const order = orderOf(sandbox, service, id)
  if (!order) return 'unknown'
  if (order.approved) return decision === 'approve' ? 'decided' : 'refused'
  if (decision === 'reject') return 'decided'
  const reviewed = await refreshShipping(sandbox, order)
  if (isAwaitingListener(reviewed)) return 'refused'
  approveOrder(sandbox, signer, reviewed, 'good')
  return 'decided'
}

/** Without a page of the merchant the browser stays at the wallet's. */
const returnUrlOf = (request: CheckoutRequest) =>
  withParameters(request.order.context.return_url ?? pageUrl(request), {
    token: request.order.id,
    PayerID: payer.payer_id,
  })

function withParameters(text: string, parameters: Record<string, string>): string {
  const url = new URL(text)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const address = Compile(Address)

async function handleAddressChange(request: CheckoutRequest): Promise<Answer> {
  const { sandbox, order, incoming } = request
  if (!canChooseAddress(order))
    return showRefusal(request, 'ADDRESS_IS_FIXED', 'The shop has set where it is sent.')
  const body = withoutEmpty(incoming.body)
  const chosen = 'choice' in body ? (addressNamed(String(body.choice)) ?? order.address) : null
  const requested =
    chosen ??
    ('country_code' in body ? { ...body, country_code: String(body.country_code).toUpperCase() } : body)
  if (!address.Check(requested)) return showRefusal(request, 'ADDRESS_ERROR', 'The address needs a country.')
  return pageAfterChange(request, await changeAddress(sandbox, order, pick(requested)))
}

/** The address without other members of the form. */
const pick = ({
  address_line_1,
  address_line_2,
  admin_area_2,
  admin_area_1,
  postal_code,
  country_code,
}: Address): Address => ({
  ...(address_line_1 && { address_line_1 }),
  ...(address_line_2 && { address_line_2 }),
  ...(admin_area_2 && { admin_area_2 }),
  ...(admin_area_1 && { admin_area_1 }),
  ...(postal_code && { postal_code }),
  country_code,
})

/** The form's members without the empty ones. */
function withoutEmpty(body: unknown): object {
  if (typeof body !== 'object' || body === null) return {}
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== '' && value !== undefined))
}

async function handleOptionChoice(request: CheckoutRequest): Promise<Answer> {
  const { sandbox, order, incoming } = request
  const id: unknown =
    typeof incoming.body === 'object' && incoming.body !== null && 'id' in incoming.body
      ? incoming.body.id
      : undefined
  const chosen = order.unit.shipping?.options?.find((option) => option.id === id)
  if (order.approved || !chosen)
    return showRefusal(request, 'METHOD_UNAVAILABLE', 'There is no such shipping option.')
  return pageAfterChange(request, await chooseOption(sandbox, order, chosen.id))
}

/** Redirects a form to the page, so that reloading it sends nothing. */
const pageAfterChange = (request: CheckoutRequest, order: WalletOrder): Answer =>
  wantsPage(request.incoming) ? reloadPage(request, 'changed') : show(request, order)
