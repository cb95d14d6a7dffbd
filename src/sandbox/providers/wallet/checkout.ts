import { Compile } from 'typebox/compile'
import { type Answer, type BuyerDecision, type BuyerDecisionResult, type Incoming, json } from '../../core/provider-messages.ts'
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

function stateOf(sandbox: Sandbox, order: WalletOrder, refusal: CheckoutState['error'] = null): CheckoutState {
  const { context, unit, callback } = order
  const failure = callback.status === 'declined' || callback.status === 'broken' ? { issue: callback.issue, message: callback.message } : null
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

const canChooseAddress = ({ context, approved }: WalletOrder) => !approved && (context.shipping_preference ?? 'GET_FROM_FILE') === 'GET_FROM_FILE'

/** `/wallet/{service}/checkout/{order}[/{action}]`: what a buyer's browser asks. Answers pages, or JSON to who prefers that. */
export async function checkout(
  sandbox: Sandbox,
  signer: Signer,
  service: string,
  incoming: Incoming,
  [id = '', action]: string[],
): Promise<Answer | null> {
  const order = orderOf(sandbox, service, id)
  if (!order) return wantsPage(incoming) ? pageAnswer(noSuchOrder) : noOrder
  const visit = { sandbox, signer, incoming, order }
  if (action === undefined) {
    // the listener has just been asked: what it said, or did not say, is shown
    const isNews = !incoming.query.has('changed')
    return incoming.method === 'GET' ? show(visit, isNews ? await refreshShipping(sandbox, order) : order) : null
  }
  const act = incoming.method === 'POST' ? actions.get(action) : undefined
  return act ? act(visit) : null
}

const noOrder = json(404, { message: 'There is no such order' })

/** Whether a page with the script of this client may show the order. */
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

function show(visit: CheckoutRequest, order: WalletOrder, refusal: CheckoutState['error'] = null): Answer {
  const state = stateOf(visit.sandbox, order, refusal)
  const status = refusal ? 409 : 200
  if (!wantsPage(visit.incoming)) return json(status, state)
  const page = pageOf(state, {
    actions: pageUrl(visit),
    // only a window that is about to close is told that it was cancelled: the order itself stays as it is
    cancelled: visit.incoming.query.has('cancelled'),
    wayBack: order.approved ? returnUrlOf(order) : undefined,
    popup: popupOf(visit),
  })
  return { ...pageAnswer(page), status }
}

const pageUrl = ({ sandbox, order }: CheckoutRequest) => `${sandbox.pagesUrl()}/wallet/${order.payment_service_id}/checkout/${order.id}`

/** The merchant's page that has opened this one in a window of its own. */
function popupOf({ incoming, order }: CheckoutRequest): Popup | undefined {
  const origin = incoming.query.get('popup')
  return origin && URL.canParse(origin) && new URL(origin).origin === origin ? { order: order.id, origin } : undefined
}

/** The page itself, in the window that it is in. */
function reloadPage(visit: CheckoutRequest, mark?: 'cancelled' | 'changed'): Answer {
  const url = new URL(pageUrl(visit))
  const popup = popupOf(visit)
  if (popup) url.searchParams.set('popup', popup.origin)
  if (mark) url.searchParams.set(mark, '')
  return { status: 303, body: '', headers: { location: url.href, 'cache-control': 'no-store' } }
}

/** Sends the browser on; who asked for JSON is told where to. A window that the merchant's page has opened tells that page, and closes. */
function redirectBrowser(visit: CheckoutRequest, url: string, mark?: 'cancelled'): Answer {
  if (!wantsPage(visit.incoming)) return json(200, { redirect_to: url })
  return popupOf(visit) ? reloadPage(visit, mark) : { status: 303, body: '', headers: { location: url, 'cache-control': 'no-store' } }
}

const showRefusal = (visit: CheckoutRequest, issue: string, message: string) => show(visit, visit.order, { issue, message })

const actions = new Map<string, (visit: CheckoutRequest) => Answer | Promise<Answer>>([
  ['approve', (visit) => approve(visit, 'good')],
  // the buyer notices nothing: their funding source is refused when the money is asked for
  ['decline', (visit) => approve(visit, 'refused')],
  ['cancel', (visit) => redirectBrowser(visit, withParameters(visit.order.context.cancel_url, { token: visit.order.id }), 'cancelled')],
  ['address', handleAddressChange],
  ['option', handleOptionChoice],
])

/** Approving twice is approving once: the funding source is the first time's. */
function approve(visit: CheckoutRequest, funding: WalletOrder['funding']): Answer {
  const { sandbox, signer, order } = visit
  if (!order.approved) {
    if (isAwaitingListener(order)) return showRefusal(visit, 'SHIPPING_NOT_CONFIRMED', 'The shop has not said yet what it costs to send it there.')
    approveOrder(sandbox, signer, order, funding)
  }
  return redirectBrowser(visit, returnUrlOf(order))
}

function approveOrder(sandbox: Sandbox, signer: Signer, order: WalletOrder, funding: WalletOrder['funding']): void {
  const approved = saveOrder(sandbox, { ...order, approved: true, funding })
  void notifyApproval(sandbox, signer, approved).catch(() => undefined)
}

/** Somebody decides in the buyer's place. Who turns back leaves the order as it is. */
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

const returnUrlOf = ({ id, context }: WalletOrder) => withParameters(context.return_url, { token: id, PayerID: payer.payer_id })

function withParameters(text: string, parameters: Record<string, string>): string {
  const url = new URL(text)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

const address = Compile(Address)

async function handleAddressChange(visit: CheckoutRequest): Promise<Answer> {
  const { sandbox, order, incoming } = visit
  if (!canChooseAddress(order)) return showRefusal(visit, 'ADDRESS_IS_FIXED', 'The shop has set where it is sent.')
  const body = withoutEmpty(incoming.body)
  const chosen = 'choice' in body ? (addressNamed(String(body.choice)) ?? order.address) : null
  const given = chosen ?? ('country_code' in body ? { ...body, country_code: String(body.country_code).toUpperCase() } : body)
  if (!address.Check(given)) return showRefusal(visit, 'ADDRESS_ERROR', 'The address needs a country.')
  return pageAfterChange(visit, await changeAddress(sandbox, order, pick(given)))
}

/** Without what else a form may send. */
const pick = ({ address_line_1, address_line_2, admin_area_2, admin_area_1, postal_code, country_code }: Address): Address => ({
  ...(address_line_1 && { address_line_1 }),
  ...(address_line_2 && { address_line_2 }),
  ...(admin_area_2 && { admin_area_2 }),
  ...(admin_area_1 && { admin_area_1 }),
  ...(postal_code && { postal_code }),
  country_code,
})

/** A form sends what was left empty, too. */
function withoutEmpty(body: unknown): object {
  if (typeof body !== 'object' || body === null) return {}
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== '' && value !== undefined))
}

async function handleOptionChoice(visit: CheckoutRequest): Promise<Answer> {
  const { sandbox, order, incoming } = visit
  const id: unknown = typeof incoming.body === 'object' && incoming.body !== null && 'id' in incoming.body ? incoming.body.id : undefined
  const chosen = order.unit.shipping?.options?.find((option) => option.id === id)
  if (order.approved || !chosen) return showRefusal(visit, 'METHOD_UNAVAILABLE', 'There is no such shipping option.')
  return pageAfterChange(visit, await chooseOption(sandbox, order, chosen.id))
}

/** A form that was sent leads back to the page, so that loading it again sends nothing. */
const pageAfterChange = (visit: CheckoutRequest, order: WalletOrder): Answer =>
  wantsPage(visit.incoming) ? reloadPage(visit, 'changed') : show(visit, order)
