import { paysLink } from '../operations/journal/functions/payment-link.sql.ts'
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
  left join (select merchant_account_id, transaction_id, true as corrected
               from operations
              where kind in ('correction', 'increment')
              group by merchant_account_id, transaction_id) o
    on o.merchant_account_id = c.merchant_account_id
   and o.transaction_id = c.transaction_id`,
    [
      [
        'agentic checkout: its payment',
        'c.transaction_id',
        `case when t.details #>> '{delegated_payment,checkout_session_id}' = c.id::text then c.transaction_id end`,
      ],
      [
        'agentic checkout: what its payment charges',
        `case when o.corrected is null then c.amount || ' ' || c.currency end`,
        `case when c.transaction_id is null then c.amount || ' ' || c.currency
              when o.corrected is null then t.amount || ' ' || t.currency end`,
      ],
      [
        'agentic checkout: status',
        `case when c.transaction_id is not null and o.corrected is null then c.status end`,
        `case when c.transaction_id is not null and o.corrected is null
              then case when ${paysLink('t')} then 'completed' when c.status = 'completed' and t.authorized_at is not null then 'completed' else 'completing' end end`,
      ],
    ],
  ),
)
