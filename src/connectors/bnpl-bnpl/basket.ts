import type { CartLine, OrderForCall, ServiceForCall, Shipping } from '../contract/call.ts'
import { truncate } from '../wire/provider-text.ts'

/**
 * The largest amount of an order line, in minor units: larger than any payment of Railyard's, smaller than a
 * cart's lines may be.
 */
const MAX_AMOUNT = 200_000_000

interface OrderLine {
  name: string
  type: string
  quantity: number
  unit_price: number
  total_amount: number
  total_discount_amount?: number
  reference?: string
  product_url?: string
  image_url?: string
}

/** The types of lines that reduce the amount. */
const reductions = new Set(['discount', 'gift_card', 'store_credit'])

/** The type of a line without one; the cart's other types are the provider's own. */
const DEFAULT_TYPE = 'physical'

function toLine({
  name,
  quantity,
  unit_amount,
  discount_amount,
  product_type,
  sku,
  product_url,
  image_url,
}: CartLine): OrderLine {
  const type = product_type ?? DEFAULT_TYPE
  const unit_price = reductions.has(type) ? -unit_amount : unit_amount
  const discount = discount_amount ?? 0
  return {
    name,
    type,
    quantity,
    unit_price,
    total_amount: quantity * unit_price - discount,
    ...(discount > 0 && { total_discount_amount: discount }),
    ...(sku && { reference: sku }),
    ...(isLink(product_url) && { product_url }),
    ...(isLink(image_url) && { image_url }),
  }
}

const isLink = (url: string | null | undefined): url is string =>
  !!url && url.length <= 1024 && URL.canParse(url)

/**
 * A cart's taxes are added to its lines (semantics §2), but the provider's line prices include tax, so one
 * line states them all.
 */
function taxLine(lines: readonly CartLine[]): OrderLine[] {
  const tax = lines.reduce((sum, { tax_amount }) => sum + (tax_amount ?? 0), 0)
  return tax > 0 ? [{ name: 'Tax', type: 'sales_tax', quantity: 1, unit_price: tax, total_amount: tax }] : []
}

const isSendable = ({ type, unit_price, total_amount }: OrderLine) =>
  Math.max(Math.abs(unit_price), Math.abs(total_amount)) <= MAX_AMOUNT &&
  (reductions.has(type) || total_amount >= 0)

/**
 * The cart's lines if they add up to the amount, as the provider requires; else one line with the whole
 * amount, since a merchant's cart need not add up (semantics §2).
 */
export function orderLines({ lines, description }: OrderForCall, amount: number): OrderLine[] {
  const cart = [...lines.map(toLine), ...taxLine(lines)]
  const total = cart.reduce((sum, line) => sum + line.total_amount, 0)
  if (lines.length > 0 && total === amount && cart.every(isSendable)) return cart
  const name = description ? truncate(description, 255) : 'Order'
  return [{ name, type: DEFAULT_TYPE, quantity: 1, unit_price: amount, total_amount: amount }]
}

/** The address with its known members; undefined if there are none. */
function address(details: Shipping | null | undefined, email?: string | null) {
  const postal = details?.address
  const shortened = {
    given_name: details?.first_name,
    family_name: details?.last_name,
    phone: details?.phone_number,
    street_address: postal?.line1,
    street_address2: postal?.line2,
    city: postal?.city,
    region: postal?.state,
  }
  const exact = {
    email: [details?.email_address ?? email, 99],
    postal_code: [postal?.postal_code, 10],
    country: [postal?.country, 2],
  } as const
  const entries = [
    ...Object.entries(shortened).flatMap(([key, value]) =>
      value ? [[key, truncate(value, 99)] as const] : [],
    ),
    // a truncated e-mail address or postal code would be wrong
    ...Object.entries(exact).flatMap(([key, [value, most]]) =>
      value && value.length <= most ? [[key, value] as const] : [],
    ),
  ]
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/**
 * The goods, the buyer and the amount: the provider requires the same when the session is opened and when the
 * order is placed.
 */
export function basket(order: OrderForCall, operation: { id: string; amount: number; currency: string }) {
  const billing_address = address(order.buyer?.billing, order.buyer?.email)
  const shipping_address = address(order.shipping)
  return {
    purchase_country: order.country ?? '',
    purchase_currency: operation.currency,
    order_amount: operation.amount,
    order_lines: orderLines(order, operation.amount),
    merchant_reference1: truncate(order.reference, 255),
    // the operation's id identifies it in the provider's books
    merchant_reference2: operation.id,
    ...(billing_address && { billing_address }),
    ...(shipping_address && { shipping_address }),
  }
}

/**
 * The body of the session that the buyer approves. The provider notifies Railyard's own URL, whose secret
 * takes the place of a signature.
 */
export const sessionBody = (
  order: OrderForCall,
  operation: Parameters<typeof basket>[1],
  service: ServiceForCall,
) => ({
  ...basket(order, operation),
  intent: 'buy',
  acquiring_channel: 'ECOMMERCE',
  merchant_urls: { authorization: service.notificationUrl, notification: service.notificationUrl },
})

export const orderBody = (
  order: OrderForCall,
  operation: Parameters<typeof basket>[1] & { kind: string },
  service: ServiceForCall,
) => ({
  ...basket(order, operation),
  auto_capture: operation.kind === 'sale',
  merchant_urls: { notification: service.notificationUrl },
})
