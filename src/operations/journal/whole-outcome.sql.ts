import { ofPayment } from '../../database/partitions/payment-partitions.ts'
/** The parameters of what an outcome may change beyond most. */
export const wholeParameters = [
  /**
   * `confirmed`: a success proves the stored method. `refused`: one that was stored with the payment is taken
   * away, and one that is stored without a payment is `failed`. `awaits buyer`: it is stored once the buyer
   * approves. Null: as it is.
   */
  'paymentMethod',
  /**
   * The payment service's token of a method that is stored with this payment, as JSON: `row` of
   * `payment_service_tokens`, sealed; `card` and `shown` with what the provider tells of the card. Null: none.
   */
  'storedToken',
  /** What becomes of gift card redemptions, as the function `redemptions_after` takes it. */
  'redemptions',
  /** A stored gift card that paid. */
  'usedGiftCard',
  /**
   * A stored gift card that money went back to: it is not archived any more, unless its buyer has stored the
   * same card anew.
   */
  'filledGiftCard',
  'threeDSecure',
  'screening',
  /** Whether the anti-fraud service holds the capture for a review. */
  'pendingReview',
  /** Until when a cardholder may answer. */
  'approvalExpiresAt',
  /** No challenge can be answered any more: the instrument that was sealed for one is deleted. */
  'dropsSealedInstrument',
  /** The payment that this one renews, which may be captured again; null: none. */
  'reopenedTransaction',
] as const

/**
 * Everything that an outcome may change. A confirmed card is given a network token later, where the merchant
 * account wants that (semantics §5.4).
 */
export const wholeParts = (
  p: Readonly<Record<(typeof wholeParameters)[number] | 'now' | 'transactionId', string>>,
) => ({
  changes: `
         three_d_secure = coalesce(${p.threeDSecure}::jsonb, t.three_d_secure),
         anti_fraud = coalesce(${p.screening}::jsonb, t.anti_fraud),
         approval_expires_at = coalesce(${p.approvalExpiresAt}::timestamptz, t.approval_expires_at),
         gift_cards = case when ${p.redemptions}::jsonb is null then t.gift_cards else redemptions_after(t.gift_cards, ${p.redemptions}::jsonb) end,
         payment_method = case ${p.paymentMethod}
           when 'confirmed' then (t.payment_method - 'provisional' - 'being_stored') || coalesce(${p.storedToken}::jsonb->'shown', '{}')
           when 'refused' then case when t.payment_method ? 'provisional' then t.payment_method - 'provisional' - 'id' else t.payment_method - 'being_stored' end
           else t.payment_method end,`,
  pendingReview: `coalesce(${p.pendingReview}, t.pending_review)`,
  also: `confirmed as (
  update payment_methods m
     set provisional = false,
         status = 'succeeded',
         approval_url = null,
         updated_at = ${p.now}::timestamptz,
         scheme_transaction_id = coalesce(m.scheme_transaction_id, paid.scheme_transaction_id),
         scheme_transaction_id_scheme = case when m.scheme_transaction_id is null and paid.scheme_transaction_id is not null
                                             then coalesce(paid.card->>'scheme', m.scheme)
                                             else m.scheme_transaction_id_scheme end,
         label = coalesce(paid.card->>'label', m.label),
         scheme = coalesce(paid.card->>'scheme', m.scheme),
         bin = coalesce(paid.card->>'bin', m.bin),
         expiration_date = coalesce(paid.card->>'expiration_date', m.expiration_date),
         card_type = coalesce(paid.card->>'card_type', m.card_type),
         card_country = coalesce(paid.card->>'card_country', m.card_country)
    from (select c.*,
                 case when not c.merchant_initiated then c.facts->>'scheme_transaction_id' end as scheme_transaction_id,
                 ${p.storedToken}::jsonb->'card' as card
            from changed c) paid
   where ${p.paymentMethod} = 'confirmed'
     and m.merchant_account_id = paid.merchant_account_id
     and m.id = (paid.payment_method->>'id')::uuid
     and (m.provisional or m.status <> 'succeeded' or (m.scheme_transaction_id is null and paid.scheme_transaction_id is not null))
  returning m.*
), token_stored as (
  insert into payment_service_tokens
         (merchant_account_id, id, payment_method_id, payment_service_id, status, key_id, data_key, sealed, created_at, updated_at)
  select m.merchant_account_id,
         token.id,
         m.id,
         token.payment_service_id,
         'succeeded',
         token.key_id,
         token.data_key,
         token.sealed,
         ${p.now}::timestamptz,
         ${p.now}::timestamptz
    from confirmed m,
         jsonb_populate_record(null::payment_service_tokens, ${p.storedToken}::jsonb->'row') token
   where ${p.storedToken}::jsonb is not null
), tokenized as (
  insert into network_tokens (merchant_account_id, id, payment_method_id, status, scheme, check_at, created_at, updated_at)
  select m.merchant_account_id,
         gen_random_uuid(),
         m.id,
         'requested',
         m.scheme,
         ${p.now}::timestamptz,
         ${p.now}::timestamptz,
         ${p.now}::timestamptz
    from confirmed m
    join merchant_accounts a on a.id = m.merchant_account_id
   where a.async_network_tokens_enabled
     and m.mode = 'card'
     and m.sealed is not null
     and a.identifiers->>(m.scheme || '_network_tokens_requestor_id') is not null
      on conflict (merchant_account_id, payment_method_id) where status <> 'inactive' do nothing
), refused as (
  delete from payment_methods m
   using recorded r, ${ofPayment('transactions', p.transactionId, 't')}
   where ${p.paymentMethod} = 'refused'
     and t.merchant_account_id = r.merchant_account_id
     and t.id = ${p.transactionId}::uuid
     and m.merchant_account_id = t.merchant_account_id
     and m.id = (t.payment_method->>'id')::uuid
     and m.provisional
), not_stored as (
  update payment_methods m
     set status = case ${p.paymentMethod} when 'refused' then 'failed' else 'buyer_approval_required' end,
         approval_url = case ${p.paymentMethod} when 'refused' then null else c.approval->>'url' end,
         updated_at = ${p.now}::timestamptz
    from changed c
   where ${p.paymentMethod} in ('refused', 'awaits buyer')
     and m.merchant_account_id = c.merchant_account_id
     and m.id = (c.payment_method->>'id')::uuid
     and m.status in ('processing', 'buyer_approval_required')
     and not m.provisional
), dropped_instrument as (
  delete from held_instruments h
   using changed c
   where ${p.dropsSealedInstrument}::boolean
     and h.merchant_account_id = c.merchant_account_id
     and h.id = c.id
), reopened as (
  update ${ofPayment('transactions', p.reopenedTransaction, 'earlier')}
     set capture_closed = false
    from changed c
   where c.status = 'authorization_failed'
     and earlier.merchant_account_id = c.merchant_account_id
     and earlier.id = ${p.reopenedTransaction}::uuid
), gift_card_used as (
  update gift_cards g
     set usage_count = usage_count + 1,
         last_used_at = ${p.now}::timestamptz,
         cit_usage_count = cit_usage_count + case when c.merchant_initiated then 0 else 1 end,
         cit_last_used_at = case when c.merchant_initiated then cit_last_used_at else ${p.now}::timestamptz end
    from changed c
   where ${p.usedGiftCard}::uuid is not null
     and g.merchant_account_id = c.merchant_account_id
     and g.id = ${p.usedGiftCard}::uuid
), gift_card_filled as (
  update gift_cards g
     set archived_at = null
    from changed c
   where ${p.filledGiftCard}::uuid is not null
     and g.merchant_account_id = c.merchant_account_id
     and g.id = ${p.filledGiftCard}::uuid
     and g.archived_at is not null
     and not exists (select from gift_cards other
                      where other.merchant_account_id = g.merchant_account_id
                        and other.buyer_id = g.buyer_id
                        and other.fingerprint = g.fingerprint
                        and other.archived_at is null)
), `,
})
