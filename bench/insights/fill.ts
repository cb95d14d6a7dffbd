import { queryOn } from '../postgres.ts'

/** The days over which payments are spread; the last ends at `END`. */
export const DAYS = 90
export const END = '2026-10-01T00:00:00Z'

/** Eight merchants, the largest with two fifths of all payments. */
const MERCHANTS = 8
export const merchantName = (number: number) => `merchant-${number}`

export const services = ['01', '02', '03'].map((end) => `018f0000-0000-7000-8000-0000000000${end}`)

/**
 * A number from 0 up to `below`, the same for the same payment and `seed`; `skewed` makes the low ones
 * common.
 */
const drawn = (seed: number, below: number) => `((hashint8extended(n, ${seed}) & 1048575) * ${below} >> 20)`
const skewed = (seed: number, below: number) =>
  `floor(${below} * power((hashint8extended(n, ${seed}) & 1048575) / 1048576.0, 3))::int`
const oneOf = (words: readonly string[], index: string) => `('{${words.join(',')}}'::text[])[1 + ${index}]`

const fill = (from: number, to: number, count: number) => `
insert into transactions (
  merchant_account_id, id, status, intent, intent_outcome, currency, country, amount, authorized_amount, captured_amount, refunded_amount,
  capture_reserved, refund_reserved, over_capture_allowance, capture_closed, method, instrument_type, payment_method, payment_service_id,
  payment_service, payment_service_transaction_id, metadata, error_code, facts, details, three_d_secure, payment_source,
  merchant_initiated, is_subsequent_payment, pending_review, disputed, settled, settled_amount, actions, created_at, updated_at)
select 'merchant-' || merchant, (lpad(to_hex((extract(epoch from made) * 1000)::bigint), 12, '0') || '7' || substr(md5('id' || n), 1, 3) || '8' || substr(md5('id' || n), 4, 15))::uuid,
       status, 'capture', case when paid > 0 then 'succeeded' else 'failed' end, currency, country, amount, paid, paid, 0, 0, 0, 0, true, method,
       case when method = 'card' then ${oneOf(['pan', 'card_token', 'network_token'], skewed(3, 3))} else 'redirect' end,
       case when method = 'card' then jsonb_build_object('method', 'card', 'bin', (41111100 + bin)::text, 'scheme', ${oneOf(['visa', 'mastercard', 'amex', 'discover'], 'bin % 4')},
         'card_type', ${oneOf(['credit', 'debit', 'prepaid'], 'bin % 3')}, 'card_issuer_name', 'Bank ' || bin % 60, 'issuer_country', case when bin % 5 < 4 then country else 'FR' end)
         else jsonb_build_object('method', method) end,
       service, jsonb_build_object('payment_service_definition_id', 'mock-card', 'method', 'card', 'display_name', 'Mock card'), 'p' || n,
       jsonb_build_object('channel', ${oneOf(['web', 'app', 'store'], skewed(5, 3))}, 'shop', 'shop-' || ${skewed(6, 20)}),
       case when status = 'authorization_failed' then ${oneOf(['insufficient_funds', 'issuer_decline', 'suspected_fraud', 'expired_payment_method', 'incorrect_cvv', 'service_error', 'incomplete_buyer_approval'], skewed(7, 7))} end,
       jsonb_build_object('raw_response_code', case when status = 'authorization_failed' then (50 + ${skewed(8, 30)})::text else '00' end), '{}',
       case when asked and method = 'card' then jsonb_build_object('version', '2.2.0', 'status', case when ${drawn(10, 20)} > 0 then 'complete' else 'declined' end,
         'method', ${oneOf(['frictionless', 'challenge'], skewed(11, 2))}, 'response_data', jsonb_build_object('eci', ${oneOf(['05', '02', '06', '07'], skewed(12, 4))}, 'authentication_response', ${oneOf(['Y', 'A'], skewed(13, 2))})) end,
       ${oneOf(['ecommerce', 'recurring', 'installment', 'moto'], skewed(14, 4))}, ${drawn(15, 10)} = 0, ${drawn(16, 5)} = 0, false, false, false, 0,
       case when ${drawn(17, 2)} = 0 then jsonb_build_array(jsonb_build_object('type', 'action', 'id', 'route-transaction', 'flow', 'card-transaction',
         'rule_id', '018f0000-0000-7000-9000-0000000000' || lpad(${skewed(18, 10)}::text, 2, '0'), 'outcome', jsonb_build_object('split', jsonb_build_object('variant', 1 + ${drawn(19, 2)})))) end,
       made, made + interval '2 seconds'
  from (
    select *, case when status = 'authorization_failed' or status = 'buyer_approval_pending' then 0 else amount end as paid
      from (
        select n, ${skewed(1, MERCHANTS)} as merchant,
               timestamptz '${END}' - (${count} - n) * (interval '${DAYS} days' / ${count}) as made, 100 + ${drawn(2, 50_000)} as amount, ${skewed(20, 200)} as bin,
               case ${drawn(21, 100)} when 0 then 'buyer_approval_pending' when 1 then 'authorization_voided' when 2 then 'authorization_succeeded'
                 else case when ${drawn(22, 8)} = 0 then 'authorization_failed' else 'capture_succeeded' end end as status,
               ${oneOf(['USD', 'EUR', 'GBP', 'JPY', 'CHF'], skewed(23, 5))} as currency, ${oneOf(['US', 'DE', 'GB', 'JP', 'CH', 'FR', 'NL', 'ES', 'IT', 'SE'], skewed(24, 10))} as country,
               case when ${drawn(25, 10)} = 0 then 'wallet' else 'card' end as method, (${oneOf(services, skewed(26, 3))})::uuid as service, ${drawn(27, 3)} > 0 as asked
          from generate_series(${from}, ${to}) n) as decided) as generated`

/** The event of each payment's outcome: the columns are built from the event log. */
const tell = (from: number, to: number) => `
insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
select merchant_account_id, id, 'transaction.captured', id, 1, '{}', updated_at
  from transactions where substr(payment_service_transaction_id, 2)::bigint between ${from} and ${to}`

const accounts = `insert into merchant_accounts (id, display_name, account_updater_enabled, async_network_tokens_enabled, identifiers, created_at, updated_at)
select 'merchant-' || n, 'Merchant ' || n, false, false, '{}', now(), now() from generate_series(0, ${MERCHANTS - 1}) n on conflict do nothing`

/** The indexes that the benchmark and the background work use. Rebuilding the others would take minutes. */
const kept = [
  'transactions_pkey',
  'transactions_by_update',
  'transactions_by_creation',
  'transactions_in_review',
  'transactions_to_erase',
]

const indexes = `select indexname as name, indexdef as definition from pg_indexes where tablename = 'transactions'`

/** Fills the database at `url` with `count` payments, two statements beside each other at a time. */
export async function fillPayments(url: string, count: number): Promise<void> {
  await queryOn(url, accounts)
  const all = await queryOn<{ name: string; definition: string }>(url, indexes)
  const secondary = all.filter(({ name }) => name !== 'transactions_pkey')
  for (const { name } of secondary) await queryOn(url, `drop index ${name}`)
  const half = Math.ceil(count / 2)
  await Promise.all([queryOn(url, fill(1, half, count)), queryOn(url, fill(half + 1, count, count))])
  await Promise.all([queryOn(url, tell(1, half)), queryOn(url, tell(half + 1, count))])
  await Promise.all(
    secondary.filter(({ name }) => kept.includes(name)).map(({ definition }) => queryOn(url, definition)),
  )
  await queryOn(url, 'vacuum analyze transactions')
  await queryOn(url, 'vacuum analyze events')
}
