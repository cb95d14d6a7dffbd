-- While processes are replaced, one of the version before migration 055 books chargebacks and does not count them in `disputed_amount`: the money could be refunded a second time, and
-- its reversal could not be booked. So the database counts, whoever books.
create function count_disputes() returns trigger language plpgsql as $$
begin
  if exists (select from added where type in ('chargeback', 'chargeback-reversal')) then
    update transactions t
       set disputed_amount = counted.amount
      from (select distinct merchant_account_id, transaction_id from added where type in ('chargeback', 'chargeback-reversal')) disputed,
           lateral (select sum(case s.type when 'chargeback' then s.gross_amount else -s.gross_amount end)::bigint as amount
                      from settlements s
                     where s.merchant_account_id = disputed.merchant_account_id and s.transaction_id = disputed.transaction_id
                       and s.type in ('chargeback', 'chargeback-reversal')) counted
     where t.merchant_account_id = disputed.merchant_account_id and t.id = disputed.transaction_id and t.disputed_amount is distinct from counted.amount;
  end if;
  return null;
end $$;

create trigger disputes_counted after insert on settlements referencing new table as added for each statement execute function count_disputes();

-- what was booked so since migration 055
update transactions t
   set disputed_amount = booked.amount
  from (select merchant_account_id, transaction_id, sum(case type when 'chargeback' then gross_amount else -gross_amount end) as amount
          from settlements
         where type in ('chargeback', 'chargeback-reversal')
         group by merchant_account_id, transaction_id) booked
 where t.merchant_account_id = booked.merchant_account_id and t.id = booked.transaction_id and t.disputed_amount is distinct from booked.amount;
