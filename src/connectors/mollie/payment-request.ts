import type { Address, Call, CartLine, PurchaseForCall, Shipping } from '../contract/call.ts'
import { truncate } from '../wire/provider-text.ts'
import { toMoney } from './money.ts'
import { metadataOf } from './wire.ts'

const MAX_DESCRIPTION = 255

/** What every payment sends: the same each time, so that it can be sent again under its key. */
export const paymentBody = (call: Call, purchase: PurchaseForCall): Record<string, unknown> => ({
  amount: toMoney(call.operation.amount, call.operation.currency),
  description: truncate(purchase.description || purchase.reference, MAX_DESCRIPTION),
  metadata: { ...metadataOf(call), transaction_id: purchase.transaction, reference: purchase.reference },
  ...webhookOf(call),
})

/** Where the buyer's browser goes after the provider's page. */
export const returnUrls = ({ returnUrls: { approved, cancelled } }: PurchaseForCall) => ({
  redirectUrl: approved,
  cancelUrl: cancelled,
})

/** The provider refuses a payment whose webhook it cannot reach. */
function webhookOf({ service: { notificationUrl } }: Call): { webhookUrl?: string } {
  const url = URL.parse(notificationUrl)
  const isPublic = url?.protocol === 'https:' && !/^(?:localhost|127\.|\[|10\.|192\.168\.)/.test(url.hostname)
  return isPublic ? { webhookUrl: notificationUrl } : {}
}

const phone = /^\+[1-9]\d{1,14}$/

/** Who buys, with an address; undefined: too little is known of it. */
export function toAddress(
  person: Shipping | null | undefined,
  email: string | null | undefined,
): Record<string, string> | undefined {
  const address: Address = person?.address ?? {}
  if (!address.line1 || !address.city || !address.country) return undefined
  const members: Record<string, string | null | undefined> = {
    givenName: person?.first_name,
    familyName: person?.last_name,
    email: person?.email_address ?? email,
    phone: phone.test(person?.phone_number ?? '') ? person?.phone_number : null,
    streetAndNumber: address.line1,
    streetAdditional: address.line2,
    postalCode: address.postal_code,
    city: address.city,
    region: address.state,
    country: address.country,
  }
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
}

export const addressesOf = ({ buyer, shipping }: PurchaseForCall): Record<string, unknown> => {
  const billing = toAddress(buyer?.billing, buyer?.email)
  const delivery = toAddress(shipping, buyer?.email)
  return { ...(billing && { billingAddress: billing }), ...(delivery && { shippingAddress: delivery }) }
}

/** The types of lines that both sides have. */
const lineTypes = new Set([
  'physical',
  'digital',
  'discount',
  'shipping_fee',
  'gift_card',
  'store_credit',
  'surcharge',
])

/**
 * The cart, in the provider's lines, which must add up to the amount. A cart that does not, or whose taxes
 * come on top, is sent as one line.
 */
export function toLines({ operation: { amount, currency } }: Call, purchase: PurchaseForCall) {
  const { lines } = purchase
  const hasTaxes = lines.some(({ tax_amount }) => (tax_amount ?? 0) !== 0)
  const sum = lines.reduce((total, line) => total + totalOf(line), 0)
  if (lines.length === 0 || hasTaxes || sum !== amount)
    return [
      {
        description: truncate(purchase.description || purchase.reference, MAX_DESCRIPTION),
        quantity: 1,
        unitPrice: toMoney(amount, currency),
        totalAmount: toMoney(amount, currency),
      },
    ]
  return lines.map((line) => ({
    ...(lineTypes.has(line.product_type ?? '') && { type: line.product_type }),
    description: truncate(line.name, MAX_DESCRIPTION),
    quantity: line.quantity,
    unitPrice: toMoney(line.unit_amount, currency),
    ...(line.discount_amount && { discountAmount: toMoney(line.discount_amount, currency) }),
    totalAmount: toMoney(totalOf(line), currency),
    ...(line.sku && line.sku.length <= 64 && { sku: line.sku }),
    ...(line.product_url && { productUrl: line.product_url }),
    ...(line.image_url && { imageUrl: line.image_url }),
  }))
}

const totalOf = ({ unit_amount, quantity, discount_amount }: CartLine): number =>
  unit_amount * quantity - (discount_amount ?? 0)
