import { check, isNotOfRetiredPayment, retiredBelow } from './finding.ts'

/**
 * Every payment, refund, payout and payment link that the audit log says was created exists: none is ever
 * deleted, but payments, refunds and payouts are retired.
 */
export const auditedResourcesExist = check(`
select a.merchant_account_id, a.resource_id::uuid as transaction_id, 'made, by the audit log, and gone' as problem, a.resource_type as stored, 'nothing' as computed
  from audit_entries a
 where a.action = 'created'
   and case a.resource_type
         when 'transaction' then a.resource_id::uuid >= ${retiredBelow}
                                 and not exists (select from transactions t where t.merchant_account_id = a.merchant_account_id and t.id = a.resource_id::uuid)
         when 'refund' then not exists (select from operations o where o.merchant_account_id = a.merchant_account_id and o.id = a.resource_id::uuid)
                            and ${isNotOfRetiredPayment('a.merchant_account_id', 'a.resource_id::uuid')}
         when 'payout' then a.resource_id::uuid >= ${retiredBelow}
                            and not exists (select from payouts p where p.merchant_account_id = a.merchant_account_id and p.id = a.resource_id::uuid)
         when 'payment-link' then not exists (select from payment_links l where l.merchant_account_id = a.merchant_account_id and l.id = a.resource_id::uuid)
         else false end`)
