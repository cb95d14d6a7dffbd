-- While processes are replaced, one of the version before migration 055 books chargebacks and does not count them in `disputed_amount`: the money could be refunded a second time, and
-- its reversal could not be booked. So the database counts where a booking says that a payment is disputed. A line that is written without a booking is not counted: `railyard verify`
-- finds it.
create function count_disputes() returns trigger language plpgsql as $$
begin
  update transactions t
     set disputed_amount = counted.amount
    from (select sum(case type when 'chargeback' then gross_amount else -gross_amount end)::bigint as amount
            from settlements
           where merchant_account_id = new.merchant_account_id and transaction_id = new.id and type in ('chargeback', 'chargeback-reversal')) counted
   where t.merchant_account_id = new.merchant_account_id and t.id = new.id and t.disputed_amount is distinct from counted.amount;
  return null;
end $$;

create trigger disputes_counted after update of disputed on transactions for each row when (new.disputed) execute function count_disputes();

-- what was booked so since migration 055
update transactions t
   set disputed_amount = booked.amount
  from (select merchant_account_id, transaction_id, sum(case type when 'chargeback' then gross_amount else -gross_amount end) as amount
          from settlements
         where type in ('chargeback', 'chargeback-reversal')
         group by merchant_account_id, transaction_id) booked
 where t.merchant_account_id = booked.merchant_account_id and t.id = booked.transaction_id and t.disputed_amount is distinct from booked.amount;
