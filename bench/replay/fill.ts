import { queryOn } from '../postgres.ts'

const id = (name: string, made: string) =>
  `(lpad(to_hex((extract(epoch from ${made}) * 1000)::bigint), 12, '0') || '7' || substr(md5('${name}' || n), 1, 3) || '8' || substr(md5('${name}' || n), 4, 15))::uuid`

/**
 * A shop's card payments over 90 days, half of them routed by a rule; two schemes, three currencies, 400
 * BINs, 100,000 buyers. The first payment service and the approval depend on the payment's number only.
 */
const transactions = (services: readonly string[]) => `
insert into transactions (
  merchant_account_id, id, status, intent, intent_outcome, currency, country, amount, authorized_amount, captured_amount, refunded_amount,
  capture_reserved, refund_reserved, over_capture_allowance, capture_closed, method, instrument_type, payment_method, payment_service_id,
  payment_service, payment_service_transaction_id, buyer, external_identifier, metadata, error_code, facts, details, payment_source,
  merchant_initiated, is_subsequent_payment, ip_address, pending_review, disputed, settled, settled_amount, eligible, actions, authorized_at, created_at, updated_at)
select 'default', ${id('transaction', 'made')}, case when approved then 'capture_succeeded' else 'authorization_failed' end, 'capture',
       case when approved then 'succeeded' else 'failed' end, currency, country, amount, paid, paid, 0, 0, 0, 0, true, 'card', 'pan',
       json_build_object('method', 'card', 'label', lpad((n % 10000)::text, 4, '0'), 'scheme', case when n % 3 = 0 then 'mastercard' else 'visa' end, 'expiration_date', '12/35',
         'fingerprint', '1:' || md5('card' || n % 150000) || md5('card' || n % 150000), 'bin', (41111100 + n % 400)::text, 'card_type', 'credit', 'issuer_country', country)::jsonb,
       service, '{"payment_service_definition_id": "mock-card", "method": "card", "display_name": "Mock card"}', md5('psp' || n),
       json_build_object('display_name', 'Buyer ' || n % 100000, 'external_identifier', 'customer-' || n % 100000, 'billing_details', json_build_object(
         'first_name', 'Buyer', 'last_name', (n % 100000)::text, 'email_address', 'buyer' || n % 100000 || '@example.com',
         'address', json_build_object('line1', n % 500 || ' High Street', 'city', 'London', 'country', 'GB', 'postal_code', 'SW1Y 4JH')))::jsonb,
       'order-' || n, json_build_object('cart', md5('cart' || n), 'channel', case when n % 4 = 0 then 'app' else 'web' end)::jsonb,
       case when not approved then 'insufficient_funds' end, '{"raw_response_code": "00", "avs_response_code": "match"}', '{}', 'ecommerce', n % 5 = 0, n % 5 = 0,
       '198.51.100.' || n % 250, false, false, false, 0, array[${services.map((service) => `'${service}'`)}]::uuid[],
       case when n % 2 = 0 then jsonb_build_array(jsonb_build_object('type', 'action', 'id', 'route-transaction', 'flow', 'card-transaction', 'created_at', made,
         'rule_id', '018f0000-0000-7000-8000-000000000009', 'outcome', jsonb_build_object('type', 'card-routing', 'version', 2,
         'result', jsonb_build_array(jsonb_build_object('payment_service_id', service, 'instrument', null, 'transformations', '[]'::jsonb)),
         'rule', '{"name": "As it was", "version": 3}'::jsonb, 'because', '[{"field": "currency", "operator": "is", "value": "EUR", "actual": "EUR"}]'::jsonb))) end,
       case when approved then made end, made, made + (n % 7) * interval '1 hour'
  from generated`

/** The exchanges have a realistic length. */
const operations = `
insert into operations (
  merchant_account_id, id, transaction_id, kind, status, amount, effective_amount, currency, payment_service_id, payment_service_operation_id, input, error_code,
  facts, exchanges, check_at, checks, created_at, updated_at, settled_at)
select 'default', ${id('operation', 'made')}, ${id('transaction', 'made')}, 'sale', case when approved then 'approved' else 'declined' end, amount, paid, currency, service, md5('psp' || n), '{}',
       case when not approved then 'insufficient_funds' end, '{"raw_response_code": "00", "avs_response_code": "match"}',
       jsonb_build_array(jsonb_build_object('method', 'POST', 'url', 'http://127.0.0.1:8081/card/payments', 'status', 201, 'request', jsonb_build_object('amount', amount, 'note', repeat(md5('q' || n), 14)),
         'response', jsonb_build_object('id', md5('psp' || n), 'note', repeat(md5('a' || n), 14)))), null, 0, made, made, made
  from generated`

const generated = (count: number, [a, b, c]: readonly string[]) => `
create table generated as
select n, made, amount, currency, country, approved, case when approved then amount else 0 end as paid,
       case when n % 2 = 0 and n % 10 < 6 then '${a}' when n % 7 < 4 then '${b}' else '${c}' end::uuid as service
  from (select n, timestamptz '2026-06-01' + n * (interval '90 days' / ${count}) as made, 100 + (n::bigint * 7919) % 50000 as amount, n % 12 <> 4 as approved,
               case when n % 10 < 6 then 'USD' when n % 10 < 9 then 'EUR' else 'GBP' end as currency,
               case when n % 10 < 6 then 'US' when n % 10 < 9 then 'DE' else 'GB' end as country
          from generate_series(1, ${count}) n) as drawn`

const secondary = `
select indexname as name, indexdef as definition from pg_indexes where tablename in ('transactions', 'operations') and indexname not like '%_pkey'`

/**
 * Fills the database of a running instance with card payments of three payment services. Indexes are rebuilt
 * afterwards, which is faster.
 */
export async function fillPayments(url: string, count: number, services: readonly string[]): Promise<void> {
  const indexes = await queryOn<{ name: string; definition: string }>(url, secondary)
  for (const { name } of indexes) await queryOn(url, `drop index ${name}`)
  await queryOn(url, generated(count, services))
  await queryOn(url, transactions(services))
  await queryOn(url, operations)
  await queryOn(url, 'drop table generated')
  for (const { definition } of indexes) await queryOn(url, definition)
  for (const table of ['transactions', 'operations']) await queryOn(url, `vacuum analyze ${table}`)
}
