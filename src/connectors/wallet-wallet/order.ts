import type { CartLine, OrderForCall, PurchaseForCall, Shipping } from '../contract/call.ts'
import { type WalletOptions, WalletOptions as walletOptions } from '../contract/connection-options.schema.ts'
import { Compile } from '../wire/compile.ts'
import { truncate } from '../wire/provider-text.ts'
import { fromMoney, isExpressible, toMoney } from './money.ts'

const options = Compile(walletOptions)

/** This connector's connection options. They were checked when the transaction was created. */
export const readOptions = (walletOptions: Record<string, unknown>): WalletOptions =>
  options.Check(walletOptions) ? walletOptions : {}

interface OrderBodyInput {
  /** The approval's id, which every answer about the order repeats. */
  id: string
  order: OrderForCall
  amount: number
  currency: string
  options: WalletOptions
  /** Whether the merchant may charge the buyer's PayPal account later. */
  storesInstrument: boolean
}

/** The body of the order that the buyer approves (POST /v2/checkout/orders). */
export function orderBody(input: OrderBodyInput) {
  const { order, options: walletOptions } = input
  return {
    intent: order.intent === 'capture' ? 'CAPTURE' : 'AUTHORIZE',
    purchase_units: [purchaseUnit(input)],
    payment_source: {
      paypal: {
        ...(input.storesInstrument && {
          attributes: { vault: { store_in_vault: 'ON_SUCCESS', usage_type: 'MERCHANT' } },
        }),
        experience_context: {
          user_action: walletOptions.user_action ?? 'PAY_NOW',
          shipping_preference: walletOptions.shipping_preference ?? 'GET_FROM_FILE',
          return_url: order.returnUrls.approved,
          cancel_url: order.returnUrls.cancelled,
          brand_name: walletOptions.brand_name || truncate(order.merchantName, 127),
          ...(walletOptions.landing_page && { landing_page: walletOptions.landing_page }),
          ...(walletOptions.locale && { locale: walletOptions.locale }),
          ...(walletOptions.order_update_callback_config && {
            order_update_callback_config: walletOptions.order_update_callback_config,
          }),
        },
      },
    },
  }
}

/** What a purchase unit is made of. */
type UnitInput = Omit<OrderBodyInput, 'order' | 'storesInstrument'> & { order: PurchaseForCall }

export function purchaseUnit({ id, order, amount, currency, options: walletOptions }: UnitInput) {
  const address = walletOptions.shipping_preference === 'NO_SHIPPING' ? null : shippingAddress(order.shipping)
  const choices = walletOptions.shipping?.options ?? []
  const shipping = { ...address, ...(choices.length > 0 && { options: choices.map(shippingOption) }) }
  return {
    reference_id: 'default',
    custom_id: id,
    ...(order.description && { description: truncate(order.description, 127) }),
    ...(order.statementDescriptor && { soft_descriptor: truncate(order.statementDescriptor, 22) }),
    ...priced(order.lines, amount, currency, selectedShipping(walletOptions, currency)),
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

/** The cost of the preselected shipping option, in the smallest unit of `currency`. */
export const selectedShipping = ({ shipping }: WalletOptions, currency: string): number | undefined =>
  fromMoney(shipping?.options?.find(({ selected }) => selected)?.amount ?? undefined, currency)

/**
 * The amount with its breakdown. The provider refuses parts that do not add up, that it cannot express, or
 * whose shipping cost is not the selected option's: then it gets the total alone.
 */
function priced(
  lines: readonly CartLine[],
  amount: number,
  currency: string,
  shippingCost: number | undefined,
) {
  const money = (value: number) => toMoney(value, currency)
  const cart = cartOf(lines)
  const sum = cart.items + cart.shipping + cart.tax - cart.discount
  const amounts = [
    cart.items,
    cart.shipping,
    cart.tax,
    cart.discount,
    ...cart.lines.map(({ unit_amount }) => unit_amount),
  ]
  const hasBreakdown =
    cart.lines.length > 0 && sum === amount && amounts.every((part) => isExpressible(part, currency))
  if (hasBreakdown && (shippingCost === undefined || shippingCost === cart.shipping)) {
    const breakdown = {
      item_total: money(cart.items),
      ...(cart.shipping > 0 && { shipping: money(cart.shipping) }),
      ...(cart.tax > 0 && { tax_total: money(cart.tax) }),
      ...(cart.discount > 0 && { discount: money(cart.discount) }),
    }
    return {
      amount: { ...money(amount), breakdown },
      items: cart.lines.map((line) => itemOf(line, currency)),
    }
  }
  if (shippingCost === undefined) return { amount: money(amount) }
  return {
    amount: {
      ...money(amount),
      breakdown: { item_total: money(amount - shippingCost), shipping: money(shippingCost) },
    },
  }
}

/** The part of the amount that a line of this type belongs to; lines of other types are items. */
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
  name: truncate(name, 127),
  quantity: `${quantity}`,
  unit_amount: toMoney(unit_amount, currency),
  ...(sku && { sku: truncate(sku, 127) }),
})

/** Null without a country: the provider refuses such an address. */
function shippingAddress(shipping: Shipping | null) {
  const { address } = shipping ?? {}
  if (!address?.country) return null
  const name = [shipping?.first_name, shipping?.last_name].filter(Boolean).join(' ')
  return {
    ...(name && { name: { full_name: truncate(name, 300) } }),
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
