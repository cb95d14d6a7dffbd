import type { ShippingDetailsCreate } from '@railyard/client'
import type { ReactNode } from 'react'

/** A name, contact data and an address as lines, as on an envelope. */
export function ContactLines({ details }: { details: ShippingDetailsCreate }): ReactNode {
  const { address } = details
  const joined = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' ')
  const lines = [
    joined(details.first_name, details.last_name),
    address?.organization,
    joined(address?.line1, address?.house_number_or_name),
    address?.line2,
    joined(address?.postal_code, address?.city),
    joined(address?.state ?? address?.state_code, address?.country),
    details.email_address,
    details.phone_number,
  ].filter(Boolean)
  return (
    <address className="text-sm wrap-anywhere not-italic">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be the same
        <span key={index} className="block">
          {line}
        </span>
      ))}
    </address>
  )
}
