import { check, isOfRetiredPayment, retiredBelow } from './finding.ts'

/**
 * Every payment, refund, payout and payment link that the audit log says was created exists: none is ever
 * deleted, but payments, refunds and payouts are retired.
 */
export const auditedResourcesExist = check(`
with made as (
  select merchant_account_id, resource_type, case when resource_type in ('transaction', 'refund', 'payout', 'payment-link') then resource_id::uuid end as id
    from audit_entries
   where action = 'created' and resource_type in ('transaction', 'refund', 'payout', 'payment-link')
)
select m.merchant_account_id, m.id as transaction_id, 'made, by the audit log, and gone' as problem, m.resource_type as stored, 'nothing' as computed
  from made m
 where case m.resource_type
         when 'transaction' then m.id >= ${retiredBelow}
                                 and not exists (select from transactions t where t.merchant_account_id = m.merchant_account_id and t.id = m.id)
         when 'refund' then not exists (select from operations o where o.merchant_account_id = m.merchant_account_id and o.id = m.id)
                            and not ${isOfRetiredPayment('m.merchant_account_id', 'm.id')}
         when 'payout' then m.id >= ${retiredBelow}
                            and not exists (select from payouts p where p.merchant_account_id = m.merchant_account_id and p.id = m.id)
         else not exists (select from payment_links l where l.merchant_account_id = m.merchant_account_id and l.id = m.id) end`)
