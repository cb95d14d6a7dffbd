import { paysLink } from '../operations/journal/functions/payment-link.sql.ts'
import { check, comparisonSql, retiredBelow } from './finding.ts'

/**
 * The status of a payment link follows from the last payment through it (semantics §14): completed,
 * processing or active. A completed link stays so, also after a person has corrected the payment.
 */
export const paymentLinks = check(
  comparisonSql(
    'l.merchant_account_id',
    'l.id',
    `(select * from payment_links where transaction_id is null or transaction_id >= ${retiredBelow}) l
  left join transactions t on t.merchant_account_id = l.merchant_account_id and t.id = l.transaction_id
  left join lateral (
    select coalesce(bool_or(${paysLink('p')} or exists (select from operations o where o.merchant_account_id = p.merchant_account_id and o.transaction_id = p.id and o.kind = 'correction')), false) as paid,
           coalesce(bool_or(${paysLink('p')}), false) as pays
      from transactions p
     where p.merchant_account_id = l.merchant_account_id and p.payment_link_id = l.id) made on true`,
    [
      ['payment link: transaction', 'l.transaction_id', 't.id'],
      [
        'payment link: its transaction came through',
        `case when t.id is not null then l.id end`,
        't.payment_link_id',
      ],
      [
        'payment link: completed by a payment',
        `case when l.status = 'completed' then 'paid' end`,
        `case when l.status = 'completed' and made.paid then 'paid' end`,
      ],
      [
        'payment link: paid',
        `case when made.pays then l.status end`,
        `case when made.pays then 'completed' end`,
      ],
      [
        'payment link: under way',
        `l.status = 'processing'`,
        `l.status <> 'completed' and coalesce(t.status in ('processing', 'buyer_approval_pending', 'capture_pending', 'authorization_void_pending'), false)`,
      ],
    ],
  ),
)
