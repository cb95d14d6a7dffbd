/** What an `embed` claim may fix, by name (SEMANTICS §1.4). */
export const pinNames = [
  'amount',
  'currency',
  'buyer_id',
  'buyer_external_identifier',
  'merchant_account_id',
  'metadata',
  'cart_items',
  'connection_options',
] as const
export type Pin = (typeof pinNames)[number]

export const isPin = (name: string): name is Pin => pinNames.some((known) => known === name)
