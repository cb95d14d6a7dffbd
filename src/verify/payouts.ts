import { check, comparisonSql, retiredBelow } from './finding.ts'

/** A payout has exactly one operation, and the outcome of that. */
export const payouts = check(
  comparisonSql(
    'p.merchant_account_id',
    'p.id',
    `(select * from payouts where id >= ${retiredBelow}) p
  left join lateral (
    select count(*) as operations, min(case when status = 'approved' then 'succeeded' when status in ('declined', 'failed') then status else 'pending' end) as status,
           min(coalesce(effective_amount, amount)) as amount, min(currency) as currency, min(payment_service_id::text) as service,
           min(payment_service_operation_id) as reference
      from operations o
     where o.merchant_account_id = p.merchant_account_id and o.transaction_id = p.id and o.kind = 'payout') o on true`,
    [
      ['payout: operations', '1', 'o.operations'],
      ['payout: status', 'p.status', 'o.status'],
      ['payout: amount', 'p.amount', 'o.amount'],
      ['payout: currency', 'p.currency', 'o.currency'],
      ['payout: payment service', 'p.payment_service_id', 'o.service'],
      ['payout: id at the payment service', 'p.payment_service_payout_id', 'o.reference'],
      [
        'payout: event of its outcome',
        `case when p.status <> 'pending' then 'told' end`,
        `case when p.status <> 'pending' and p.event_count > 0 then 'told' end`,
      ],
    ],
  ),
)
