import { check, isOfRetiredPayment, retiredBelow } from './finding.ts'

/**
 * Every payment, refund, payout and payment link that the audit log says was created exists: none is ever
 * deleted, but payments, refunds and payouts are retired.
 */
export const auditedResourcesExist = check(`
select a.merchant_account_id, a.resource_id::uuid as transaction_id, 'made, by the audit log, and gone' as problem, a.resource_type as stored, 'nothing' as computed
  from audit_entries a
  left join transactions t on a.resource_type = 'transaction' and t.merchant_account_id = a.merchant_account_id and t.id::text = a.resource_id
  left join operations o on a.resource_type = 'refund' and o.merchant_account_id = a.merchant_account_id and o.id::text = a.resource_id
  left join payouts p on a.resource_type = 'payout' and p.merchant_account_id = a.merchant_account_id and p.id::text = a.resource_id
  left join payment_links l on a.resource_type = 'payment-link' and l.merchant_account_id = a.merchant_account_id and l.id::text = a.resource_id
 where a.action = 'created' and a.resource_type in ('transaction', 'refund', 'payout', 'payment-link')
   and coalesce(t.id, o.id, p.id, l.id) is null
   and case a.resource_type when 'payment-link' then true
                            when 'refund' then not ${isOfRetiredPayment('a.merchant_account_id', 'a.resource_id::uuid')}
                            else a.resource_id::uuid >= ${retiredBelow} end`)
