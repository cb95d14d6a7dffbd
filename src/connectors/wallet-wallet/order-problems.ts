import type { Shipping } from '../contract/call.ts'
import type { WalletOptions } from '../contract/connection-options.schema.ts'
import type { RequestedOrder } from '../contract/connector.ts'
import { isSimulated } from './environment.ts'
import { fromMoney, isExpressible } from './money.ts'
import { readOptions, selectedShipping } from './order.ts'

const at = (path: string) => `/connection_options/wallet-wallet/${path}`

type Problem = readonly [pointer: string, message: string]

/**
 * What the provider would refuse of this payment, by JSON pointer (API §2.13, §4.12; semantics §3.15). Empty:
 * no problem.
 */
export function orderProblems(requested: RequestedOrder): Record<string, string> {
  const options = readOptions(requested.options)
  return Object.fromEntries([
    ...amountProblems(requested),
    ...enumProblems(options),
    ...addressProblems(requested, options),
    ...shippingOptionProblems(requested, options),
    ...callbackProblems(requested, options),
  ])
}

function amountProblems({ amount, currency }: RequestedOrder): Problem[] {
  if (amount <= 0) return [['/amount', 'must be greater than 0']]
  return isExpressible(amount, currency)
    ? []
    : [['/amount', `must be whole units of ${currency}: the payment service takes no decimals of it`]]
}

/** The options with a fixed list of values. */
const words = {
  user_action: ['PAY_NOW', 'CONTINUE'],
  shipping_preference: ['SET_PROVIDED_ADDRESS', 'GET_FROM_FILE', 'NO_SHIPPING'],
  landing_page: ['LOGIN', 'GUEST_CHECKOUT', 'NO_PREFERENCE'],
} as const satisfies Partial<Record<keyof WalletOptions, readonly string[]>>

const languageTag = /^[a-z]{2}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?$/

function enumProblems(options: WalletOptions): Problem[] {
  const names = ['user_action', 'shipping_preference', 'landing_page'] as const
  const wrong = names.filter(
    (name) => options[name] != null && !words[name].some((word) => word === options[name]),
  )
  return [
    ...wrong.map((name): Problem => [at(name), `must be one of ${words[name].join(', ')}`]),
    ...(options.locale && !languageTag.test(options.locale)
      ? [[at('locale'), 'must be a language tag such as en-US'] as const]
      : []),
  ]
}

function addressProblems({ order }: RequestedOrder, { shipping_preference }: WalletOptions): Problem[] {
  if (shipping_preference !== 'SET_PROVIDED_ADDRESS') return []
  const missing = missingMembers(order.shipping)
  return missing.map(
    (name): Problem => [
      `/buyer/shipping_details/address/${name}`,
      'is required with the shipping preference SET_PROVIDED_ADDRESS',
    ],
  )
}

const missingMembers = (shipping: Shipping | null) =>
  (['line1', 'city', 'postal_code', 'country'] as const).filter((name) => !shipping?.address?.[name])

function shippingOptionProblems({ amount, currency }: RequestedOrder, options: WalletOptions): Problem[] {
  const choices = options.shipping?.options ?? []
  if (choices.length === 0) return []
  const { shipping_preference: preference } = options
  if (preference === 'SET_PROVIDED_ADDRESS' || preference === 'NO_SHIPPING')
    return [[at('shipping/options'), `cannot be chosen from with the shipping preference ${preference}`]]
  if (choices.filter(({ selected }) => selected).length !== 1)
    return [[at('shipping/options'), 'must have exactly one that is selected']]
  if (new Set(choices.map(({ id }) => id)).size < choices.length)
    return [[at('shipping/options'), 'must have different ids']]
  const unreadable = choices.flatMap(({ amount: cost }, index): Problem[] =>
    cost && !isExpressible(fromMoney(cost, currency) ?? Number.NaN, currency)
      ? [[at(`shipping/options/${index}/amount`), `must be an amount of ${currency}`]]
      : [],
  )
  if (unreadable.length > 0) return unreadable
  return (selectedShipping(options, currency) ?? 0) > amount
    ? [[at('shipping/options'), 'costs more than the payment']]
    : []
}

function callbackProblems({ fields }: RequestedOrder, options: WalletOptions): Problem[] {
  const config = options.order_update_callback_config
  if (!config) return []
  const { callback_url: url, callback_events: events } = config
  const pointer = (name: string) => at(`order_update_callback_config/${name}`)
  const allowsHttp = isSimulated(fields)
  return [
    ...(options.shipping_preference === 'GET_FROM_FILE'
      ? []
      : [[at('shipping_preference'), 'must be GET_FROM_FILE with shipping callbacks'] as const]),
    ...(url && isListener(url, allowsHttp)
      ? []
      : [[pointer('callback_url'), 'must be an https URL'] as const]),
    ...(events && events.length > 0 && new Set(events).size === events.length
      ? []
      : [
          [
            pointer('callback_events'),
            'must name SHIPPING_ADDRESS, SHIPPING_OPTIONS or both, each once',
          ] as const,
        ]),
    ...(options.shipping?.options?.length
      ? []
      : [[at('shipping/options'), 'must not be empty with shipping callbacks'] as const]),
  ]
}

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The simulator also calls a listener on its own machine, which has no certificate. */
function isListener(text: string, allowsHttp: boolean): boolean {
  if (!URL.canParse(text) || text.length > 2040) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (allowsHttp && protocol === 'http:' && loopback.has(hostname))
}
