/** The sum over the gift card redemptions of a transaction `t` that succeeded, as SQL. */
export const redeemedSql = (member: 'amount' | 'refunded') =>
  `(select coalesce(sum((r->>'${member}')::bigint), 0)::bigint from jsonb_array_elements(t.gift_cards->'redemptions') r where r->>'status' = 'succeeded')` as const
