import { merchantName } from '../insights/fill.ts'
import { queryOn } from '../postgres.ts'

/** The merchant with two fifths of all payments. */
export const LARGEST = merchantName(0)

/** What Home counts beside payments: one payment in 50 is refunded, one in 500 disputed. */
const refunds = `
insert into operations (
  merchant_account_id, id, transaction_id, kind, status, amount, effective_amount, currency, payment_service_id, input, facts, exchanges, checks,
  created_at, updated_at, settled_at)
select merchant_account_id, gen_random_uuid(), id, 'refund', 'approved', amount, amount, currency, payment_service_id, '{}', '{}', '[]', 0,
       created_at + interval '3 days', created_at + interval '3 days', created_at + interval '3 days'
  from transactions where substr(payment_service_transaction_id, 2)::bigint % 50 = 0 and captured_amount > 0`

/** One operation of each payment, as the journal has it: what a count must not read. */
const authorizations = `
insert into operations (
  merchant_account_id, id, transaction_id, kind, status, amount, effective_amount, currency, payment_service_id, input, facts, exchanges, checks,
  created_at, updated_at, settled_at)
select merchant_account_id, gen_random_uuid(), id, 'sale', case when substr(payment_service_transaction_id, 2)::bigint % 5000 = 1 then 'unknown' else 'approved' end,
       amount, amount, currency, payment_service_id, '{}', '{}', '[]', 0, created_at, created_at, created_at
  from transactions`

const disputes = `
insert into disputes (
  merchant_account_id, id, payment_service_id, payment_service_dispute_id, transaction_id, notices, status, amount, currency, is_chargeback,
  withdrawn_amount, returned_amount, evidence_due_at, opened_at, created_at, updated_at)
select merchant_account_id, gen_random_uuid(), payment_service_id, 'd' || id, id, '[]', 'needs_response', amount, currency, true, amount, 0,
       now() + interval '9 days', created_at + interval '10 days', created_at + interval '10 days', created_at + interval '10 days'
  from transactions where substr(payment_service_transaction_id, 2)::bigint % 500 = 0 and captured_amount > 0`

/** Adds operations and disputes to the payments of `fillPayments`. */
export async function fillOperations(url: string): Promise<void> {
  for (const statement of [authorizations, refunds, disputes]) await queryOn(url, statement)
  await queryOn(url, 'vacuum analyze operations')
  await queryOn(url, 'vacuum analyze disputes')
}
