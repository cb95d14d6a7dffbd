import { Compile } from '../../../base/compile.ts'
import { merchantHttp } from '../../../outgoing/merchant-http.ts'
import type { Sandbox } from '../../sandbox.ts'
import { type Address, CallbackAnswer, UpdatedUnit } from './order.schema.ts'
import { type CallbackState, saveOrder, type WalletOrder } from './order.ts'
import { optionIssue, sumIssue } from './order-rules.ts'

/** The listener's time limit. */
const TIMEOUT_MS = 5_000

type CallbackEvent = 'SHIPPING_ADDRESS' | 'SHIPPING_OPTIONS'

export const hasCallback = ({ context }: WalletOrder, event: CallbackEvent): boolean =>
  context.order_update_callback_config?.callback_events.includes(event) ?? false

/** Whether the merchant's listener has still to confirm the totals that the buyer sees. */
export const isAwaitingListener = (order: WalletOrder): boolean =>
  hasCallback(order, 'SHIPPING_ADDRESS') && order.callback.status !== 'answered'

/** On loading the review page: calls the listener, unless it has answered or declined. */
export async function refreshShipping(sandbox: Sandbox, order: WalletOrder): Promise<WalletOrder> {
  const isDue = !order.approved && isAwaitingListener(order) && order.callback.status !== 'declined'
  return isDue ? requestListener(sandbox, order, 'SHIPPING_ADDRESS') : order
}

/** Changes the shipping address. */
export async function changeAddress(
  sandbox: Sandbox,
  order: WalletOrder,
  address: Address,
): Promise<WalletOrder> {
  const changed = saveOrder(sandbox, { ...order, address, callback: { status: 'none' } })
  return hasCallback(changed, 'SHIPPING_ADDRESS')
    ? requestListener(sandbox, changed, 'SHIPPING_ADDRESS')
    : changed
}

/** Chooses another shipping option. Without a listener the total does not change. */
export async function chooseOption(sandbox: Sandbox, order: WalletOrder, id: string): Promise<WalletOrder> {
  const options = (order.unit.shipping?.options ?? []).map((option) => ({
    ...option,
    selected: option.id === id,
  }))
  if (hasCallback(order, 'SHIPPING_OPTIONS'))
    return requestListener(sandbox, order, 'SHIPPING_OPTIONS', options)
  return saveOrder(sandbox, {
    ...order,
    unit: { ...order.unit, shipping: { ...order.unit.shipping, options } },
  })
}

/** Asks the listener for the shipping costs. Without a usable answer the totals stay. */
async function requestListener(
  sandbox: Sandbox,
  order: WalletOrder,
  event: CallbackEvent,
  options = order.unit.shipping?.options ?? [],
): Promise<WalletOrder> {
  const url = order.context.order_update_callback_config?.callback_url
  if (!url || !order.address) return order
  const answer = await post(url, callbackBody(order, options, event))
  const { state, unit } = readListenerAnswer(order, event, answer)
  return saveOrder(sandbox, { ...order, callback: state, unit: unit ?? order.unit })
}

function callbackBody(
  { id, address, unit }: WalletOrder,
  options: NonNullable<WalletOrder['unit']['shipping']>['options'],
  event: CallbackEvent,
) {
  const chosen = options?.find(({ selected }) => selected)
  const { admin_area_1, admin_area_2, postal_code, country_code } = address ?? { country_code: 'US' }
  return {
    id,
    shipping_address: {
      country_code,
      ...(admin_area_1 && { admin_area_1 }),
      ...(admin_area_2 && { admin_area_2 }),
      ...(postal_code && { postal_code }),
    },
    ...(event === 'SHIPPING_OPTIONS' && chosen && { shipping_option: withoutSelection(chosen) }),
    purchase_units: [
      {
        reference_id: unit.reference_id ?? 'default',
        amount: unit.amount,
        ...(unit.items && { items: unit.items }),
      },
    ],
  }
}

const withoutSelection = ({
  selected: _,
  ...option
}: NonNullable<NonNullable<WalletOrder['unit']['shipping']>['options']>[number]) => option

type ListenerAnswer = { status: number; body: unknown } | null

/** Null: there was no readable answer in time. */
async function post(url: string, body: object): Promise<ListenerAnswer> {
  const http = merchantHttp({ environment: 'sandbox', allowedNetworks: [] })
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const { status, text } = await http.request(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      timeout: TIMEOUT_MS,
    })
    return { status, body: JSON.parse(text) }
  } catch {
    return null
  } finally {
    void http.close()
  }
}

const callbackAnswer = Compile(CallbackAnswer)
const updatedUnit = Compile(UpdatedUnit)

const brokenCallback = (issue: string, message: string): { state: CallbackState } => ({
  state: { status: 'broken', issue, message },
})

const unusable = brokenCallback(
  'CALLBACK_FAILED',
  'The shop could not say what it costs to send it there. Please try again.',
)

function readListenerAnswer(
  order: WalletOrder,
  event: CallbackEvent,
  answer: ListenerAnswer,
): { state: CallbackState; unit?: WalletOrder['unit'] } {
  if (!answer) return unusable
  if (answer.status === 422) {
    return {
      state: {
        status: 'declined',
        issue: issueOf(answer.body),
        message: 'The shop does not deliver there. Please choose another address.',
      },
    }
  }
  const parsed = callbackAnswer.Check(answer.body) ? answer.body : undefined
  const body = parsed?.purchase_units
  // the provider's guides show a list, its own library one object
  const updated = Array.isArray(body) ? body[0] : body
  if (answer.status !== 200 || !updatedUnit.Check(updated)) return unusable
  const { amount, shipping_options: options = parsed?.shipping_options ?? [] } = updated
  if (options.length === 0)
    return brokenCallback(
      `${event}_CALLBACK_ERROR`,
      'The shop has no shipping for this. Please choose something else.',
    )
  const isOtherCurrency = amount.currency_code !== order.unit.amount.currency_code
  if (isOtherCurrency || sumIssue(amount) || optionIssue(amount, options, order.context)) return unusable
  return {
    state: { status: 'answered' },
    unit: {
      ...order.unit,
      ...keptItems(order, amount),
      amount,
      shipping: { ...order.unit.shipping, options },
    },
  }
}

/** Removes items that do not add up to the new total. */
function keptItems(
  { unit }: WalletOrder,
  amount: WalletOrder['unit']['amount'],
): Partial<WalletOrder['unit']> {
  const same = amount.breakdown?.item_total?.value === unit.amount.breakdown?.item_total?.value
  return same || !unit.items ? {} : { items: [] }
}

function issueOf(body: unknown): string {
  const details =
    typeof body === 'object' && body !== null && 'details' in body && Array.isArray(body.details)
      ? body.details
      : []
  const issue: unknown = details[0]?.issue
  return typeof issue === 'string' ? issue : 'ADDRESS_ERROR'
}
