-- What gift cards pay of a transaction (SEMANTICS §10): { service, redemptions: [{ id, status, amount, refunded, refund_reserved, … }] }; null where none does.
-- On the transaction's own row, so that one statement changes all of a payment.

-- Changes redemptions by their ids: `set` replaces members, `refunded` and `reserved` are added, so that refunds beside each other never overwrite one another.
create function redemptions_after(gift_cards jsonb, changes jsonb) returns jsonb language sql immutable as $$
  select gift_cards || jsonb_build_object('redemptions', (
    select jsonb_agg(
      redemption || coalesce(changes #> array[redemption->>'id', 'set'], '{}') || jsonb_build_object(
        'refunded', (redemption->>'refunded')::bigint + coalesce((changes #>> array[redemption->>'id', 'refunded'])::bigint, 0),
        'refund_reserved', (redemption->>'refund_reserved')::bigint + coalesce((changes #>> array[redemption->>'id', 'reserved'])::bigint, 0))
      order by position)
    from jsonb_array_elements(gift_cards->'redemptions') with ordinality element(redemption, position)))
$$;

create function redemptions_hold(gift_cards jsonb) returns boolean language sql immutable as $$
  select coalesce(bool_and((redemption->>'refunded')::bigint >= 0 and (redemption->>'refund_reserved')::bigint >= 0
           and (redemption->>'refunded')::bigint + (redemption->>'refund_reserved')::bigint <= (redemption->>'amount')::bigint), true)
    from jsonb_array_elements(gift_cards->'redemptions') redemption
$$;

-- What can still be put back on the card of a redemption; null where it did not take effect.
create function redemption_left(gift_cards jsonb, id text) returns bigint language sql immutable as $$
  select (redemption->>'amount')::bigint - (redemption->>'refunded')::bigint - (redemption->>'refund_reserved')::bigint
    from jsonb_array_elements(gift_cards->'redemptions') redemption
   where redemption->>'id' = id and redemption->>'status' = 'succeeded'
$$;

alter table transactions add column gift_cards jsonb constraint refunded_within_redemption check (gift_cards is null or redemptions_hold(gift_cards));
create index transactions_by_gift_card on transactions using gin (gift_cards jsonb_path_ops) where gift_cards is not null;

alter table operations drop constraint operations_kind_check;
alter table operations add constraint operations_kind_check check (kind in
  ('approval', 'authorize', 'sale', 'capture', 'void', 'cancel', 'increment', 'refund', 'correction', 'redeem', 'reverse', 'gift-card-refund'));
