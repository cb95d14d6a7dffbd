import { paysLink } from '../operations/journal/payment-link.sql.ts'
import { check, comparisonSql, retiredBelow } from './finding.ts'

/**
 * A checkout of an AI agent's platform is completed by a payment that was made for it, of the total that the
 * platform was shown, and only by one that has had an effect. A correction by a person may say otherwise, and an
 * increment adds to the payment.
 */
export const agenticCheckouts = check(
  comparisonSql(
    'c.merchant_account_id',
    'c.id',
    `(select * from agentic_checkouts where transaction_id is null or transaction_id >= ${retiredBelow}) c
  left join transactions t on t.merchant_account_id = c.merchant_account_id and t.id = c.transaction_id
 cross join lateral (select exists (select from operations o
                                     where o.merchant_account_id = t.merchant_account_id
                                       and o.transaction_id = t.id
                                       and o.kind in ('correction', 'increment')) as corrected) o`,
    [
      [
        'agentic checkout: its payment',
        'c.transaction_id',
        `case when t.details #>> '{delegated_payment,checkout_session_id}' = c.id::text then c.transaction_id end`,
      ],
      [
        'agentic checkout: what its payment charges',
        `case when not o.corrected then c.amount || ' ' || c.currency end`,
        `case when c.transaction_id is null then c.amount || ' ' || c.currency
              when not o.corrected then t.amount || ' ' || t.currency end`,
      ],
      [
        'agentic checkout: status',
        `case when c.transaction_id is not null and not o.corrected then c.status end`,
        `case when c.transaction_id is not null and not o.corrected
              then case when ${paysLink('t')} then 'completed' when c.status = 'completed' and t.authorized_at is not null then 'completed' else 'completing' end end`,
      ],
    ],
  ),
)
