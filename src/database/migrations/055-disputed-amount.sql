-- What chargebacks have taken of a payment and reversals have not given back: gross, in the payment's currency; null: nothing ever. Written in the commit that books such a line
-- (src/reconciliation/book-lines.ts), and looked at by the statement that reserves a refund (src/operations/journal.sql.ts).
alter table transactions add column disputed_amount bigint constraint disputed_amount_not_negative check (disputed_amount >= 0);

update transactions t
   set disputed_amount = booked.amount
  from (select merchant_account_id, transaction_id, sum(case type when 'chargeback' then gross_amount else -gross_amount end) as amount
          from settlements
         where type in ('chargeback', 'chargeback-reversal')
         group by merchant_account_id, transaction_id) booked
 where t.merchant_account_id = booked.merchant_account_id and t.id = booked.transaction_id;
