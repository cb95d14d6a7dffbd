import { check } from './finding.ts'

/**
 * The settled amounts of payments and refunds are the sums of their booked report lines
 * (`reconciliation/book-lines.ts`). Of what disputes have taken and given back, the larger sum of the lines and
 * of the notices counts (`transactions/disputes/record-dispute.ts`).
 */
export const settledAmounts = check(`
with booked as (
  select merchant_account_id,
         transaction_id,
         refund_id,
         coalesce(sum(amount) filter (where type in ('settlement', 'refund-settlement')), 0) as amount,
         bool_or(type = 'chargeback') as disputed,
         coalesce(sum(gross_amount) filter (where type = 'chargeback'), 0) as taken,
         coalesce(sum(gross_amount) filter (where type = 'chargeback-reversal'), 0) as returned,
         bool_or(type = 'settlement') as settled,
         max(currency) filter (where type = 'settlement') as currency
    from settlements
   group by 1, 2, 3
), notified as (
  select d.merchant_account_id,
         d.transaction_id,
         bool_or(d.is_chargeback) as disputed,
         coalesce(sum(d.withdrawn_amount) filter (where d.currency = t.currency), 0) as taken,
         coalesce(sum(d.returned_amount) filter (where d.currency = t.currency), 0) as returned
    from disputes d
    join transactions t on t.merchant_account_id = d.merchant_account_id and t.id = d.transaction_id
   group by 1, 2
)
select t.merchant_account_id, t.id as transaction_id, problem, stored, computed
  from transactions t
  left join booked b on b.merchant_account_id = t.merchant_account_id and b.transaction_id = t.id and b.refund_id is null
  left join notified n on n.merchant_account_id = t.merchant_account_id and n.transaction_id = t.id,
       lateral (values
         ('settled_amount', t.settled_amount::text, coalesce(b.amount, 0)::text),
         ('settled', t.settled::text, coalesce(b.settled, false)::text),
         ('disputed', t.disputed::text, (coalesce(b.disputed, false) or coalesce(n.disputed, false))::text),
         ('disputed_amount', coalesce(t.disputed_amount::text, 'nothing'), case when greatest(b.taken, n.taken) > 0
                                 then (greatest(b.taken, n.taken, 0) - greatest(b.returned, n.returned, 0))::text
                                 else 'nothing' end),
         ('settled_currency', coalesce(t.settled_currency, 'nothing'), coalesce(b.currency, 'nothing'))
       ) as compared (problem, stored, computed)
 where stored <> computed
union all
select o.merchant_account_id, o.transaction_id, 'settled_amount of a refund', coalesce(o.settled_amount, 0)::text, coalesce(b.amount, 0)::text
  from operations o left join booked b on b.merchant_account_id = o.merchant_account_id and b.transaction_id = o.transaction_id and b.refund_id = o.id
 where o.kind = 'refund' and coalesce(o.settled_amount, 0) <> coalesce(b.amount, 0)`)

/** Each booked line belongs to an existing payment or refund of its currency at its payment service. */
export const orphanSettlements = check(`
select s.merchant_account_id, s.transaction_id, 'settlement of nothing' as problem, s.id::text as stored, 'nothing' as computed
  from settlements s
  left join transactions t on t.merchant_account_id = s.merchant_account_id and t.id = s.transaction_id
  left join operations o on o.merchant_account_id = s.merchant_account_id and o.id = s.refund_id and o.transaction_id = s.transaction_id and o.kind = 'refund'
 where t.id is null or (s.refund_id is not null and o.id is null)`)
