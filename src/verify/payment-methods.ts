import { openStatusesInSql } from '../operations/operation.ts'
import { check } from './finding.ts'

/**
 * A payment method that a payment stores is provisional until that payment is decided, and then stored or
 * deleted (semantics §3.9, `store`).
 */
export const provisionalMethods = check(`
select p.merchant_account_id, coalesce(t.id, p.id) as transaction_id, 'provisional payment method without a payment under way' as problem, p.id::text as stored, 'nothing' as computed
  from payment_methods p
  left join transactions t on t.merchant_account_id = p.merchant_account_id and t.payment_method->>'id' = p.id::text and t.payment_method ? 'provisional'
 where p.provisional
   and not exists (select from operations o
                    where o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id
                      and o.kind in ('screening', 'authentication', 'approval', 'authorize', 'sale') and o.status in ${openStatusesInSql})`)
