import { Compile } from 'typebox/compile'
import { type WalletOptions, WalletOptions as walletOptions } from '../connection-options.schema.ts'
import type { CartLine, OrderForCall, Shipping } from '../connector.ts'
import { fromMoney, isExpressible, toMoney } from './money.ts'

const options = Compile(walletOptions)

/** This connector's part of the connection options. They were checked when the transaction was created. */
export const readOptions = (given: Record<string, unknown>): WalletOptions => (options.Check(given) ? given : {})

interface OrderBodyInput {
  /** The approval's id: comes back in every answer about the order. */
  id: string
  order: OrderForCall
  amount: number
  currency: string
  options: WalletOptions
}

/** What the buyer is asked to approve, as the provider wants it (POST /v2/checkout/orders). */
export function orderBody(asked: OrderBodyInput) {
  const { order, options: given } = asked
  return {
    intent: order.intent === 'capture' ? 'CAPTURE' : 'AUTHORIZE',
    purchase_units: [purchaseUnit(asked)],
    payment_source: {
      paypal: {
        experience_context: {
          user_action: given.user_action ?? 'PAY_NOW',
          shipping_preference: given.shipping_preference ?? 'GET_FROM_FILE',
          return_url: order.returnUrls.approved,
          cancel_url: order.returnUrls.cancelled,
          brand_name: given.brand_name || cut(order.merchantName, 127),
          ...(given.landing_page && { landing_page: given.landing_page }),
          ...(given.locale && { locale: given.locale }),
          ...(given.order_update_callback_config && { order_update_callback_config: given.order_update_callback_config }),
        },
      },
    },
  }
}

function purchaseUnit({ id, order, amount, currency, options: given }: OrderBodyInput) {
  const address = given.shipping_preference === 'NO_SHIPPING' ? null : shippingAddress(order.shipping)
  const choices = given.shipping?.options ?? []
  const shipping = { ...address, ...(choices.length > 0 && { options: choices.map(shippingOption) }) }
  return {
    reference_id: 'default',
    custom_id: id,
    ...(order.description && { description: cut(order.description, 127) }),
    ...(order.statementDescriptor && { soft_descriptor: cut(order.statementDescriptor, 22) }),
    ...priced(order.lines, amount, currency, selectedShipping(given, currency)),
    ...(Object.keys(shipping).length > 0 && { shipping }),
  }
}

type Choice = NonNullable<NonNullable<NonNullable<WalletOptions['shipping']>['options']>[number]>

const shippingOption = ({ id, label, selected, type, amount }: Choice) => ({
  id,
  label,
  selected,
  ...(type && { type }),
  ...(amount && { amount }),
})

/** What the shipping that is chosen at first costs, in the smallest unit of `currency`. */
export const selectedShipping = ({ shipping }: WalletOptions, currency: string): number | undefined =>
  fromMoney(shipping?.options?.find(({ selected }) => selected)?.amount ?? undefined, currency)

/**
 * The amount with what it is made of. The provider refuses parts that do not add up, that it cannot express, or whose shipping is not the option's that is
 * selected: then it is told the whole alone.
 */
function priced(lines: readonly CartLine[], amount: number, currency: string, chosen: number | undefined) {
  const money = (value: number) => toMoney(value, currency)
  const cart = cartOf(lines)
  const sum = cart.items + cart.shipping + cart.tax - cart.discount
  const amounts = [cart.items, cart.shipping, cart.tax, cart.discount, ...cart.lines.map(({ unit_amount }) => unit_amount)]
  const isTold = cart.lines.length > 0 && sum === amount && amounts.every((part) => isExpressible(part, currency))
  if (isTold && (chosen === undefined || chosen === cart.shipping)) {
    const breakdown = {
      item_total: money(cart.items),
      ...(cart.shipping > 0 && { shipping: money(cart.shipping) }),
      ...(cart.tax > 0 && { tax_total: money(cart.tax) }),
      ...(cart.discount > 0 && { discount: money(cart.discount) }),
    }
    return { amount: { ...money(amount), breakdown }, items: cart.lines.map((line) => itemOf(line, currency)) }
  }
  if (chosen === undefined) return { amount: money(amount) }
  return { amount: { ...money(amount), breakdown: { item_total: money(amount - chosen), shipping: money(chosen) } } }
}

/** Which part of the sum a line is; any other is an item. */
const parts: Readonly<Record<string, 'shipping' | 'tax' | 'discount'>> = {
  shipping_fee: 'shipping',
  sales_tax: 'tax',
  discount: 'discount',
  store_credit: 'discount',
}

const partOf = ({ product_type: type }: CartLine) => parts[type ?? ''] ?? 'items'

function cartOf(lines: readonly CartLine[]) {
  const cart = { items: 0, shipping: 0, tax: 0, discount: 0 }
  for (const line of lines) {
    cart[partOf(line)] += line.quantity * line.unit_amount
    cart.tax += line.tax_amount ?? 0
    cart.discount += line.discount_amount ?? 0
  }
  return { ...cart, lines: lines.filter((line) => partOf(line) === 'items') }
}

const itemOf = ({ name, quantity, unit_amount, sku }: CartLine, currency: string) => ({
  name: cut(name, 127),
  quantity: `${quantity}`,
  unit_amount: toMoney(unit_amount, currency),
  ...(sku && { sku: cut(sku, 127) }),
})

/** Nothing without a country: the provider refuses such an address. */
function shippingAddress(shipping: Shipping | null) {
  const { address } = shipping ?? {}
  if (!address?.country) return null
  const name = [shipping?.first_name, shipping?.last_name].filter(Boolean).join(' ')
  return {
    ...(name && { name: { full_name: cut(name, 300) } }),
    address: {
      ...(address.line1 && { address_line_1: address.line1 }),
      ...(address.line2 && { address_line_2: address.line2 }),
      ...(address.city && { admin_area_2: address.city }),
      ...(address.state && { admin_area_1: address.state }),
      ...(address.postal_code && { postal_code: address.postal_code }),
      country_code: address.country,
    },
  }
}

/** By characters: half of a surrogate pair is no text. */
const cut = (text: string, length: number) => [...text].slice(0, length).join('')
