/** The members that an `embed` claim may have (semantics §1.4). */
export const embedConstraintNames = [
  'amount',
  'currency',
  'buyer_id',
  'buyer_external_identifier',
  'merchant_account_id',
  'metadata',
  'cart_items',
  'connection_options',
] as const
export type EmbedConstraintName = (typeof embedConstraintNames)[number]

export const isEmbedConstraintName = (name: string): name is EmbedConstraintName =>
  embedConstraintNames.some((known) => known === name)
