import { paysLink } from '../operations/journal/functions/payment-link.sql.ts'
import { check, comparisonSql } from './finding.ts'

/**
 * A delegated payment belongs to the payment that it says, has paid once that payment has an effect, and paid
 * no more than it allows. A correction by a person may say otherwise.
 */
export const delegatedPayments = check(
  comparisonSql(
    'd.merchant_account_id',
    'd.id',
    `delegated_payments d
  join transactions t on t.merchant_account_id = d.merchant_account_id and t.id = d.transaction_id
   and not exists (select from operations o where o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id and o.kind = 'correction')`,
    [
      [
        'delegated payment: its transaction is paid with it',
        'd.id',
        `t.details #>> '{delegated_payment,row}'`,
      ],
      [
        'delegated payment: has paid',
        `case when ${paysLink('t')} then d.used_at is not null end`,
        `case when ${paysLink('t')} then true end`,
      ],
      [
        'delegated payment: beyond what it allows',
        'greatest(t.authorized_amount, t.captured_amount)',
        'least(greatest(t.authorized_amount, t.captured_amount), d.max_amount)',
      ],
    ],
  ),
)

/** Each payment that a delegated payment has paid is the one that the delegated payment names. */
export const paidByDelegation = check(
  comparisonSql(
    't.merchant_account_id',
    't.id',
    `transactions t
  join delegated_payments d on d.merchant_account_id = t.merchant_account_id
   and d.id = (t.details #>> '{delegated_payment,row}')::uuid`,
    [
      [
        'payment of a delegated payment',
        `case when ${paysLink('t')} then t.id end`,
        `case when ${paysLink('t')} then d.transaction_id end`,
      ],
    ],
  ),
)
