import type { Address, PurchaseForCall } from '../contract/call.ts'
import { truncate } from '../wire/provider-text.ts'

/** A member of Checkout.com's addresses may have no more characters. */
const LONGEST_LINE = 200

const cut = (value: string | null | undefined, length = LONGEST_LINE): string | undefined =>
  value ? truncate(value, length) : undefined

/** The members that have a value; undefined: none has. */
function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null)
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

/** An address as Checkout.com has it; undefined: no line of it is known. */
export const toAddress = (address: Address | null | undefined): Record<string, unknown> | undefined =>
  present({
    address_line1: cut(address?.line1),
    address_line2: cut(address?.line2),
    city: cut(address?.city, 50),
    state: cut(address?.state, 50),
    zip: cut(address?.postal_code, 50),
    country: address?.country ?? undefined,
  })

/** The address against which the issuer checks: the buyer's, or the postal code that came with the card. */
export const toBillingAddress = (
  { buyer }: PurchaseForCall,
  postalCode: string | null,
): Record<string, unknown> | undefined =>
  toAddress(buyer?.billing?.address) ?? present({ zip: cut(postalCode, 50) })

/** The name on the card, as far as the merchant has told the buyer's. */
export function holderNameOf({ buyer }: PurchaseForCall): string | null {
  const { first_name: first, last_name: last } = buyer?.billing ?? {}
  return [first, last].filter(Boolean).join(' ') || buyer?.name || null
}

/** `customer`: Checkout.com wants an e-mail address of each. */
export function toCustomer(purchase: PurchaseForCall): Record<string, unknown> | undefined {
  const email = purchase.buyer?.email ?? purchase.buyer?.billing?.email_address
  return email ? present({ email, name: holderNameOf(purchase) ?? undefined }) : undefined
}

export function toShipping({ shipping }: PurchaseForCall): Record<string, unknown> | undefined {
  return present({
    first_name: cut(shipping?.first_name),
    last_name: cut(shipping?.last_name),
    address: toAddress(shipping?.address),
  })
}
