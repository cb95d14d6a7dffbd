import type { Address, PurchaseForCall, Shipping } from '../../contract/call.ts'
import { truncate } from '../../wire/provider-text.ts'
import type { Body } from '../wire.ts'

const nameOf = ({ first_name: first, last_name: last }: Shipping): string | null =>
  [first, last].filter((part) => part).join(' ') || null

const addressOf = (address: Address | null | undefined): Body | null =>
  address
    ? {
        line1: address.line1 || null,
        line2: address.line2 || null,
        city: address.city || null,
        state: address.state || null,
        postal_code: address.postal_code || null,
        country: address.country || null,
      }
    : null

/** The buyer as Stripe's billing details; undefined: nothing is known. */
export function billingDetails({ buyer }: PurchaseForCall): Body | undefined {
  if (!buyer) return undefined
  const { billing } = buyer
  return {
    name: (billing && nameOf(billing)) ?? buyer.name,
    email: billing?.email_address || buyer.email,
    phone: billing?.phone_number || null,
    address: addressOf(billing?.address),
  }
}

/** Where the goods go; Stripe takes a shipping address only with a name and a first line. */
export function shippingOf({ shipping }: PurchaseForCall): Body | undefined {
  const name = shipping && nameOf(shipping)
  return name && shipping?.address?.line1
    ? { name, phone: shipping.phone_number || null, address: addressOf(shipping.address) }
    : undefined
}

/**
 * A statement descriptor as Stripe takes it: at most 22 characters, with a letter, and without the characters
 * that banks refuse; undefined: nothing is left of it.
 */
export function descriptorOf({ statementDescriptor }: PurchaseForCall): string | undefined {
  const text = truncate((statementDescriptor ?? '').replaceAll(/[<>\\'"*]/g, '').trim(), 22)
  return /[a-z]/i.test(text) ? text : undefined
}
