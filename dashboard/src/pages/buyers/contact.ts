import type { Address, ShippingDetailsCreate } from '@railyard/client'

export const contactNames = ['first_name', 'last_name', 'email_address', 'phone_number'] as const
export const addressNames = [
  'organization',
  'line1',
  'line2',
  'house_number_or_name',
  'postal_code',
  'city',
  'state',
  'state_code',
  'country',
] as const satisfies readonly (keyof Address)[]

type Name = (typeof contactNames)[number] | (typeof addressNames)[number]

/** A name, how to reach them, and an address, as a person types them. Empty: there is none. */
export type Contact = Record<Name, string>

/** The form's values of what the API shows. */
export function toContact(details: ShippingDetailsCreate | null | undefined): Contact {
  const read = (name: Name) =>
    contactNames.some((each) => each === name)
      ? details?.[name as (typeof contactNames)[number]]
      : details?.address?.[name as keyof Address]
  return Object.fromEntries(
    [...contactNames, ...addressNames].map((name) => [name, read(name) ?? '']),
  ) as Contact
}

/** What has changed, as the API takes it: null clears a member, and an address is sent as a whole. */
export function changedContact(before: Contact, after: Contact): ShippingDetailsCreate {
  const changed = contactNames.filter((name) => before[name] !== after[name].trim())
  const hasNewAddress = addressNames.some((name) => before[name] !== after[name].trim())
  return {
    ...Object.fromEntries(changed.map((name) => [name, after[name].trim() || null])),
    ...(hasNewAddress && { address: addressOf(after) }),
  }
}

function addressOf(contact: Contact): Address | null {
  const filled = addressNames.filter((name) => contact[name].trim())
  return filled.length > 0 ? Object.fromEntries(filled.map((name) => [name, contact[name].trim()])) : null
}
