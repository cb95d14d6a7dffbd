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

/**
 * A stored card without a number, and a buyer's account, are paid with by their payment service's token, which is
 * there as long as they.
 */
export const tokensOfMethods = check(`
select p.merchant_account_id, p.id as transaction_id, 'stored method without a number or a token' as problem, 'nothing' as stored, 'a token' as computed
  from payment_methods p
 where p.mode in ('card', 'redirect')
   and p.sealed is null
   and not p.provisional
   and p.status = 'succeeded'
   and not exists (select from payment_service_tokens s
                    where s.merchant_account_id = p.merchant_account_id and s.payment_method_id = p.id
                      and s.status = 'succeeded' and s.sealed is not null)`)

/**
 * A card that is stored without a payment is undecided as long as the transaction that stores it (semantics
 * §5.2).
 */
export const undecidedMethods = check(`
select p.merchant_account_id, p.id as transaction_id, 'stored card that no transaction decides' as problem, p.status as stored, 'succeeded or failed' as computed
  from payment_methods p
 where p.mode in ('card', 'redirect')
   and p.sealed is null
   and not p.provisional
   and p.status in ('processing', 'buyer_approval_required')
   and not exists (select from transactions t
                     join operations o on o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id
                    where t.merchant_account_id = p.merchant_account_id and t.payment_method->>'id' = p.id::text
                      and t.payment_method ? 'being_stored'
                      and o.kind in ('screening', 'authentication', 'approval', 'authorize', 'sale') and o.status in ${openStatusesInSql})`)

export const methodsOfTokens = check(`
select s.merchant_account_id, s.id as transaction_id, 'payment service token without a stored card' as problem, s.payment_method_id::text as stored, 'nothing' as computed
  from payment_service_tokens s
 where not exists (select from payment_methods p
                    where p.merchant_account_id = s.merchant_account_id and p.id = s.payment_method_id)`)
