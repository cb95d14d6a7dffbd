/**
 * What the outbox says of a payment link (SEMANTICS §15.2): not its URL, which is a credential, nor what was sent once and never changes: a cart may have 249 items, and each
 * move of the link tells of it.
 */
export const paymentLinkTarget = (l: string) => `json_build_object(
  'type', 'payment-link', 'id', ${l}.id, 'status', ${l}.status, 'expires_at', ${l}.expires_at, 'amount', ${l}.amount, 'country', ${l}.country,
  'currency', ${l}.currency, 'intent', ${l}.intent, 'payment_source', ${l}.payment_source, 'store', ${l}.store, 'buyer_id', ${l}.buyer_id,
  'external_identifier', ${l}.external_identifier, 'metadata', ${l}.metadata, 'created_at', ${l}.created_at, 'updated_at', ${l}.updated_at)`
