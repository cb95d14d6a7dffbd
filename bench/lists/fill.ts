import { queryOn } from '../postgres.ts'

/** The price of the shop's best-selling article, one payment in twenty. Other amounts are almost unique. */
export const LIST_PRICE = 1_999

export const RARE_STATUS = 'buyer_approval_pending'
export const RARE_CURRENCY = 'ISK'

/**
 * A shop's transactions from one statement with a realistic distribution: 90 days, most of them captured, a
 * few declined, one in 5,000 waiting for its buyer; 100,000 buyers, one article in every twentieth payment,
 * own order numbers, two metadata members. One in ten belongs to another account.
 */
const fill = (from: number, to: number, count: number) => `
insert into transactions (
  merchant_account_id, id, status, intent, intent_outcome, currency, country, amount, authorized_amount, captured_amount, refunded_amount,
  capture_reserved, refund_reserved, over_capture_allowance, capture_closed, method, instrument_type, payment_method, payment_service_id,
  payment_service, payment_service_transaction_id, buyer, external_identifier, metadata, error_code, facts, details, payment_source,
  merchant_initiated, is_subsequent_payment, ip_address, pending_review, disputed, settled, settled_amount, authorized_at, created_at, updated_at)
select case when n % 10 = 3 then 'other' else 'default' end,
       (lpad(to_hex((extract(epoch from made) * 1000)::bigint), 12, '0') || '7' || substr(md5('id' || n), 1, 3) || '8' || substr(md5('id' || n), 4, 15))::uuid,
       status, 'capture', case when status like 'capture%' then 'succeeded' when status = '${RARE_STATUS}' then 'pending' else 'failed' end,
       case when n % 1000 = 7 then '${RARE_CURRENCY}' when n % 10 < 6 then 'USD' when n % 10 < 9 then 'EUR' else 'GBP' end,
       case when n % 10 < 6 then 'US' when n % 10 < 9 then 'DE' else 'GB' end,
       amount, paid, paid, case when n % 50 = 0 then paid / 2 else 0 end, 0, 0, 0, true, 'card', 'pan',
       json_build_object('method', 'card', 'label', lpad((n % 10000)::text, 4, '0'), 'scheme', case when n % 3 = 0 then 'mastercard' else 'visa' end,
         'expiration_date', '12/35', 'fingerprint', '1:' || md5('card' || n % 150000) || md5('card' || n % 150000), 'bin', (41111100 + n % 400)::text, 'card_type', 'credit', 'country', null, 'currency', null, 'external_identifier', null)::jsonb,
       '018f0000-0000-7000-8000-000000000001', '{"payment_service_definition_id": "mock-card", "method": "card", "display_name": "Mock card"}', md5('psp' || n),
       json_build_object('display_name', 'Buyer ' || n % 100000, 'external_identifier', 'customer-' || n % 100000, 'billing_details', json_build_object(
         'first_name', 'Buyer', 'last_name', (n % 100000)::text, 'email_address', 'buyer' || n % 100000 || '@example.com',
         'address', json_build_object('line1', n % 500 || ' High Street', 'city', 'London', 'country', 'GB', 'postal_code', 'SW1Y 4JH')))::jsonb,
       'order-' || n, json_build_object('cart', md5('cart' || n), 'channel', case when n % 4 = 0 then 'app' else 'web' end)::jsonb,
       case when status = 'authorization_failed' then case when n % 300 = 4 then 'stolen_card' else 'insufficient_funds' end end,
       '{"raw_response_code": "00", "avs_response_code": "match"}', '{}', 'ecommerce', false, false, '198.51.100.' || n % 250, false, false, false, 0,
       case when paid > 0 then made end, made, made + (n % 7) * interval '1 hour'
  from (
    select n, timestamptz '2026-06-01' + n * (interval '90 days' / ${count}) as made, amount, status,
           case when status in ('capture_succeeded', 'authorization_succeeded') then amount else 0 end as paid
      from generate_series(${from}, ${to}) n,
           lateral (select case when n % 5000 = 11 then '${RARE_STATUS}' when n % 12 = 4 then 'authorization_failed' when n % 40 = 5 then 'authorization_voided'
             when n % 9 = 0 then 'authorization_succeeded' else 'capture_succeeded' end as status,
             case when n % 20 = 9 then ${LIST_PRICE} else 100 + (n::bigint * 7919) % 50000 end as amount) as decided) as generated`

/** The position at which a page begins. */
export interface Place {
  id: string
  updated_at: string
}

/** The samples for the cases: a payment in the middle, and ids to read. */
export interface Sample extends Place {
  /** A position near the end. */
  last: Place
  service_id: string
  fingerprint: string
  external_identifier: string
  email: string
  cart: string
  ids: string[]
}

// positions first, then rows: sorting ten million whole rows would not fit the disk
const sample = `
with place as (
  select id, row_number() over (order by updated_at, id) as number, count(*) over () as count
    from transactions where merchant_account_id = 'default'
), middle as (select id from place where number = count / 2 + 1), last as (select id from place where number = 401)
select t.id, to_json(t.updated_at)#>>'{}' as updated_at, external_identifier, buyer#>>'{billing_details,email_address}' as email, metadata->>'cart' as cart,
       payment_service_transaction_id as service_id, split_part(payment_method->>'fingerprint', ':', 2) as fingerprint,
       (select json_build_object('id', id, 'updated_at', to_json(updated_at)#>>'{}') from transactions where id = (select id from last)) as last,
       (select array_agg(id) from (select id from transactions where merchant_account_id = 'default' order by id offset 137 limit 500) as picked) as ids
  from transactions t where id = (select id from middle)`

const secondary = `select indexname as name, indexdef as definition from pg_indexes where tablename = 'transactions' and indexname <> 'transactions_pkey'`

/** The memory for sorting ten million rows for each index, so that it uses no files. */
const SORTING = '-c maintenance_work_mem=1GB'

/**
 * Fills the database of a running instance and returns a sample. Indexes are rebuilt afterwards: inserting
 * into them takes three times as long.
 */
export async function fillTransactions(url: string, count: number): Promise<Sample> {
  const roomy = new URL(url)
  roomy.searchParams.set('options', SORTING)
  const indexes = await queryOn<{ name: string; definition: string }>(url, secondary)
  for (const { name } of indexes) await queryOn(url, `drop index ${name}`)
  const half = Math.ceil(count / 2)
  await Promise.all([queryOn(url, fill(1, half, count)), queryOn(url, fill(half + 1, count, count))])
  for (const { definition } of indexes) await queryOn(roomy.href, definition)
  await queryOn(url, 'vacuum analyze transactions')
  const [row] = await queryOn<Sample & Record<string, unknown>>(url, sample)
  if (!row) throw new Error('nothing was filled in')
  return row
}
