import type { Buyer, TransactionBuyer } from '@railyard/client'

/** How a person names a buyer: their name, else an address or reference, else the beginning of the id. */
export function buyerName(buyer: Buyer | TransactionBuyer): string {
  const { display_name, billing_details, external_identifier, id } = buyer
  const names = [billing_details?.first_name, billing_details?.last_name].filter(Boolean).join(' ')
  return (
    display_name || names || billing_details?.email_address || external_identifier || (id ?? '').slice(0, 18)
  )
}
