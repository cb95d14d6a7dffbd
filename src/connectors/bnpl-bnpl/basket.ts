import type { CartLine, OrderForCall, ServiceForCall, Shipping } from '../connector.ts'

/** What an order line takes, in minor units: more than a payment of ours can be, and less than a cart can say. */
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

/** Takes money off, where the others put it on. */
const reductions = new Set(['discount', 'gift_card', 'store_credit'])

/** Our cart's kinds of lines are the provider's own words. */
const DEFAULT_TYPE = 'physical'

/** By characters: half of a surrogate pair is no text. */
const cut = (value: string, most: number): string => [...value].slice(0, most).join('')

function toLine({ name, quantity, unit_amount, discount_amount, product_type, sku, product_url, image_url }: CartLine): OrderLine {
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

const isLink = (url: string | null | undefined): url is string => !!url && url.length <= 1024 && URL.canParse(url)

/** A cart's taxes come on top of its lines (SEMANTICS §2); the provider's prices include them, or a line of their own states them. */
function taxLine(lines: readonly CartLine[]): OrderLine[] {
  const tax = lines.reduce((sum, { tax_amount }) => sum + (tax_amount ?? 0), 0)
  return tax > 0 ? [{ name: 'Tax', type: 'sales_tax', quantity: 1, unit_price: tax, total_amount: tax }] : []
}

const isSendable = ({ type, unit_price, total_amount }: OrderLine) =>
  Math.max(Math.abs(unit_price), Math.abs(total_amount)) <= MAX_AMOUNT && (reductions.has(type) || total_amount >= 0)

/** The cart where it adds up to the amount, as the provider demands; else one line for all of it: a merchant's cart need not (SEMANTICS §2). */
export function orderLines({ lines, description }: OrderForCall, amount: number): OrderLine[] {
  const cart = [...lines.map(toLine), ...taxLine(lines)]
  const total = cart.reduce((sum, line) => sum + line.total_amount, 0)
  if (lines.length > 0 && total === amount && cart.every(isSendable)) return cart
  const name = description ? cut(description, 255) : 'Order'
  return [{ name, type: DEFAULT_TYPE, quantity: 1, unit_price: amount, total_amount: amount }]
}

/** An address with what is known of it; undefined where nothing is. */
function address(details: Shipping | null | undefined, email?: string | null) {
  const place = details?.address
  const given = {
    given_name: details?.first_name,
    family_name: details?.last_name,
    phone: details?.phone_number,
    street_address: place?.line1,
    street_address2: place?.line2,
    city: place?.city,
    region: place?.state,
  }
  const exact = { email: [details?.email_address ?? email, 99], postal_code: [place?.postal_code, 10], country: [place?.country, 2] } as const
  const entries = [
    ...Object.entries(given).flatMap(([key, value]) => (value ? [[key, cut(value, 99)] as const] : [])),
    // half an e-mail address or postal code is a wrong one
    ...Object.entries(exact).flatMap(([key, [value, most]]) => (value && value.length <= most ? [[key, value] as const] : [])),
  ]
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** What is bought, for whom and how much it costs: the same when the buyer is asked and when the order is placed, as the provider demands. */
export function basket(order: OrderForCall, operation: { id: string; amount: number; currency: string }) {
  const billing_address = address(order.buyer?.billing, order.buyer?.email)
  const shipping_address = address(order.shipping)
  return {
    purchase_country: order.country ?? '',
    purchase_currency: operation.currency,
    order_amount: operation.amount,
    order_lines: orderLines(order, operation.amount),
    merchant_reference1: cut(order.reference, 255),
    // ours: by it we recognise what we asked for
    merchant_reference2: operation.id,
    ...(billing_address && { billing_address }),
    ...(shipping_address && { shipping_address }),
  }
}

/** The session that the buyer approves. The provider tells us at our own URL, whose secret stands in for a signature. */
export const sessionBody = (order: OrderForCall, operation: Parameters<typeof basket>[1], service: ServiceForCall) => ({
  ...basket(order, operation),
  intent: 'buy',
  acquiring_channel: 'ECOMMERCE',
  merchant_urls: { authorization: service.notificationUrl, notification: service.notificationUrl },
})

export const orderBody = (order: OrderForCall, operation: Parameters<typeof basket>[1] & { kind: string }, service: ServiceForCall) => ({
  ...basket(order, operation),
  auto_capture: operation.kind === 'sale',
  merchant_urls: { notification: service.notificationUrl },
})
