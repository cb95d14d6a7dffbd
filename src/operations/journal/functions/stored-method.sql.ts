/** Parameters of what an outcome means for the stored payment method. */
export const storedMethodTypes = {
  /**
   * `confirmed`: a success proves the stored method. `refused`: one that was stored with the payment is taken
   * away, and one that is stored without a payment is `failed`. `awaits buyer`: it is stored once the buyer
   * approves.
   */
  paymentMethod: 'text',
  /**
   * The payment service's token of a method that is stored with this payment: `row` of
   * `payment_service_tokens`, sealed; `card` and `shown` with what the provider tells of the card.
   */
  storedToken: 'jsonb',
} as const

/**
 * What an outcome means for the payment method of `changed`, the transaction. Of a refused method `method_id` is
 * the one that the transaction had. A confirmed card is given a network token later, where the merchant account
 * wants that (semantics §5.4). `confirmed` and `token` are declared as rows.
 */
export const storedMethodSteps = (
  p: Readonly<Record<keyof typeof storedMethodTypes | 'account' | 'now', string>>,
): string => `
    if ${p.paymentMethod} = 'confirmed' then
      update payment_methods m
         set provisional = false,
             status = 'succeeded',
             approval_url = null,
             updated_at = ${p.now},
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
        from (select case when not changed.merchant_initiated then changed.facts->>'scheme_transaction_id' end as scheme_transaction_id,
                     ${p.storedToken}->'card' as card) paid
       where m.merchant_account_id = ${p.account}
         and m.id = (changed.payment_method->>'id')::uuid
         and (m.provisional or m.status <> 'succeeded' or (m.scheme_transaction_id is null and paid.scheme_transaction_id is not null))
      returning m.* into confirmed;
      if found and ${p.storedToken} is not null then
        token := jsonb_populate_record(null::payment_service_tokens, ${p.storedToken}->'row');
        insert into payment_service_tokens
               (merchant_account_id, id, payment_method_id, payment_service_id, status, key_id, data_key, sealed, created_at, updated_at)
        values (${p.account}, token.id, confirmed.id, token.payment_service_id, 'succeeded', token.key_id, token.data_key, token.sealed,
                ${p.now}, ${p.now});
      end if;
      if confirmed.mode = 'card'
        and confirmed.sealed is not null
        and exists (select from merchant_accounts
                     where id = ${p.account}
                       and async_network_tokens_enabled
                       and identifiers->>(confirmed.scheme || '_network_tokens_requestor_id') is not null) then
        insert into network_tokens (merchant_account_id, id, payment_method_id, status, scheme, check_at, created_at, updated_at)
        values (${p.account}, gen_random_uuid(), confirmed.id, 'requested', confirmed.scheme, ${p.now}, ${p.now}, ${p.now})
            on conflict (merchant_account_id, payment_method_id) where status <> 'inactive' do nothing;
      end if;
    else
      if ${p.paymentMethod} = 'refused' then
        delete from payment_methods where merchant_account_id = ${p.account} and id = method_id and provisional;
      end if;
      update payment_methods
         set status = case when ${p.paymentMethod} = 'refused' then 'failed' else 'buyer_approval_required' end,
             approval_url = case when ${p.paymentMethod} = 'refused' then null else changed.approval->>'url' end,
             updated_at = ${p.now}
       where merchant_account_id = ${p.account}
         and id = (changed.payment_method->>'id')::uuid
         and status in ('processing', 'buyer_approval_required')
         and not provisional;
    end if;`
