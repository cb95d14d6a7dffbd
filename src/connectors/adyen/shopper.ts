import type { Address, BrowserForCall, PurchaseForCall, Shipping } from '../contract/call.ts'
import { truncate } from '../wire/provider-text.ts'
import { withoutNulls } from './instrument.ts'

/** What the provider wants for a member of an address that is not known. */
const UNKNOWN = 'N/A'
const UNKNOWN_COUNTRY = 'ZZ'

/** Splits off the number of the house, which the provider has in a member of its own. */
function splitStreet({ line1, line2 }: Address): { street: string; houseNumberOrName: string } {
  const street = line1?.trim() ?? ''
  const leading = /^(\d+[A-Za-z]?)\s+(.+)$/.exec(street)
  const trailing = /^(.+?),?\s+(\d+[A-Za-z]?)$/.exec(street)
  const [, name, number] = trailing ?? (leading && [leading[0], leading[2], leading[1]]) ?? []
  return {
    street: name ?? (street || UNKNOWN),
    houseNumberOrName: number ?? (line2?.trim() || UNKNOWN),
  }
}

/** An address with the members that the provider requires; undefined: too little is known of it. */
export function toAddress(address: Address | null | undefined): Record<string, unknown> | undefined {
  if (!address?.line1 && !address?.postal_code) return undefined
  const hasStates = address.country === 'US' || address.country === 'CA'
  const state = hasStates ? address.state?.replace(/^(US|CA)-/, '') : undefined
  return withoutNulls({
    ...splitStreet(address),
    city: address.city || UNKNOWN,
    postalCode: address.postal_code || UNKNOWN,
    country: address.country || UNKNOWN_COUNTRY,
    stateOrProvince: state || null,
  })
}

const nameOf = (person: Shipping | null | undefined) =>
  person?.first_name && person.last_name
    ? { firstName: truncate(person.first_name, 80), lastName: truncate(person.last_name, 80) }
    : null

/** The name on the card, as far as the buyer is known. */
export function holderNameOf({ buyer }: PurchaseForCall): string | null {
  const { first_name: first, last_name: last } = buyer?.billing ?? {}
  return [first, last].filter(Boolean).join(' ') || (buyer?.name ?? null)
}

/** Who buys, in the provider's members. `postalCode`: what is known of the address without a buyer. */
export function toShopper(purchase: PurchaseForCall, postalCode: string | null): Record<string, unknown> {
  const { buyer, shipping, browser } = purchase
  const billing = buyer?.billing?.address ?? (postalCode === null ? null : { postal_code: postalCode })
  return withoutNulls({
    shopperName: nameOf(buyer?.billing),
    shopperEmail: buyer?.email ?? null,
    telephoneNumber: buyer?.billing?.phone_number ?? null,
    shopperIP: browser?.ip_address ?? null,
    billingAddress: toAddress(billing),
    deliveryAddress: toAddress(shipping?.address),
    countryCode: purchase.country,
  })
}

/** The buyer's browser, as 3-D Secure wants it. */
export const toBrowserInfo = (browser: BrowserForCall): Record<string, unknown> => ({
  acceptHeader: browser.accept_header ?? '*/*',
  colorDepth: browser.color_depth,
  javaEnabled: browser.java_enabled,
  javaScriptEnabled: browser.javascript_enabled,
  language: browser.language,
  screenHeight: browser.screen_height,
  screenWidth: browser.screen_width,
  timeZoneOffset: browser.time_zone_offset,
  userAgent: browser.user_agent,
})

/** The cart, in the provider's lines. */
export const toLineItems = ({ lines }: PurchaseForCall): Record<string, unknown>[] =>
  lines.map((line, index) => {
    const gross = line.unit_amount - Math.round((line.discount_amount ?? 0) / line.quantity)
    const tax = Math.round((line.tax_amount ?? 0) / line.quantity)
    return withoutNulls({
      id: line.sku ?? `${index + 1}`,
      description: truncate(line.name, 100),
      quantity: line.quantity,
      amountIncludingTax: gross + tax,
      amountExcludingTax: gross,
      taxAmount: tax,
      productUrl: line.product_url ?? null,
      imageUrl: line.image_url ?? null,
    })
  })
