-- A function of SQL in a CHECK is parsed and planned anew by every statement that writes the table, to see whether it can be put in its place: a seventh of what a payment cost
-- PostgreSQL (docs/performance.md). One of PL/pgSQL is compiled once by each session, and called only where there are gift cards.
create or replace function redemptions_hold(gift_cards jsonb) returns boolean language plpgsql immutable as $$
begin
  return (
    select coalesce(bool_and((redemption->>'refunded')::bigint >= 0 and (redemption->>'refund_reserved')::bigint >= 0
             and (redemption->>'refunded')::bigint + (redemption->>'refund_reserved')::bigint <= (redemption->>'amount')::bigint), true)
      from jsonb_array_elements(gift_cards->'redemptions') redemption);
end
$$;
