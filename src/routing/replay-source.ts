import type { World } from '../world.ts'
import type { FlowAction } from './action.schema.ts'

/** Which payments are looked at, the newest first. */
export interface Window {
  account: string
  /** ISO 8601, both included. */
  from: string
  to: string
}

/** An action of a transaction, as far as a replay compares it. */
export interface RecordedAction {
  id: FlowAction
  rule_id: string
  /** Of `route-transaction`: the steps. */
  result: { payment_service_id: string; instrument: string | null }[] | null
}

/** What a transaction's row and its journal say of how it began. */
export interface RecordedPayment {
  id: string
  created_at: string
  /** As it was asked for: what increments added since is not in it. */
  amount: number
  currency: string
  country: string | null
  method: string | null
  payment_source: string
  intent: string
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  metadata: Record<string, string> | null
  bin: string | null
  scheme: string | null
  card_type: string | null
  issuer_country: string | null
  buyer_id: string | null
  buyer_external_identifier: string | null
  error_code: string | null
  eligible: string[] | null
  actions: RecordedAction[] | null
  /** The request named its payment service. */
  named: boolean
  /** Whom it went to; that of the last attempt, where there were several. */
  payment_service_id: string | null
  /** Whom it went to first, by the journal; null: to nobody. */
  asked: string | null
  /** The first attempt that asked for money. */
  attempted: string | null
  attempt_status: string | null
  /** Its amount or metadata was corrected since. */
  corrected: boolean
}

/** As many as are decided in some 10 ms, and read while they are. */
const PAGE = 1_000

/**
 * A page of an account's transactions, with their first attempts. As arrays, not rows: a million rows of two dozen columns take the driver longer to read than rules
 * take to decide. The page is cut before anything is left out of it, so that each statement does as much as the one before.
 * A renewal of an authorization was never routed. A journal is read in the order of its ids, which sort by time.
 */
const page = `
with page as materialized (
  select * from transactions
   where merchant_account_id = $1 and (created_at, id) < ($2::timestamptz, $3::uuid) and created_at >= $4::timestamptz
   order by created_at desc, id desc limit ${PAGE}
)
select (select json_build_array(created_at, id) from page order by created_at, id limit 1) as last,
       (select count(*)::int from page) as read,
       coalesce((select json_agg(json_build_array(
         t.id, t.created_at, case when o.asked_amount is null then t.amount else o.asked_amount + coalesce(cards.amount, 0) end, t.currency, t.country,
         t.method, t.payment_source, t.intent, t.merchant_initiated, t.is_subsequent_payment, t.metadata, t.payment_method->'bin', t.payment_method->'scheme',
         t.payment_method->'card_type', t.payment_method->'issuer_country', t.buyer->'id', t.buyer->'external_identifier', t.error_code, t.eligible,
         case when t.actions is not null then (
           select json_agg(json_build_array(a->'id', a->'rule_id', a #> '{outcome,result}') order by n) from jsonb_array_elements(t.actions) with ordinality x(a, n)) end,
         t.details ? 'payment_service_id', t.payment_service_id, o.asked, o.attempted, o.attempt_status, o.corrected
       ) order by t.created_at desc, t.id desc)
         from page t
         left join lateral (
           select sum((r->>'amount')::bigint) as amount from jsonb_array_elements(t.gift_cards->'redemptions') r
         ) cards on t.gift_cards is not null
         cross join lateral (
           select (array_agg(payment_service_id order by id) filter (where kind in ('approval', 'authorize', 'sale')))[1] as asked,
                  (array_agg(amount order by id) filter (where kind in ('approval', 'authorize', 'sale')))[1] as asked_amount,
                  (array_agg(payment_service_id order by id) filter (where kind in ('authorize', 'sale')))[1] as attempted,
                  (array_agg(status order by id) filter (where kind in ('authorize', 'sale')))[1] as attempt_status,
                  coalesce(bool_or(case when kind = 'correction' then input->'before' ?| array['amount', 'metadata'] end), false) as corrected
             from operations where merchant_account_id = $1 and transaction_id = t.id
         ) o
        where t.reauthorized_from_transaction_id is null), '[]') as payments`

const count = `
select count(*)::int as number
  from (select from transactions where merchant_account_id = $1 and created_at between $2::timestamptz and $3::timestamptz limit $4) as counted`

type Columns = [
  id: string,
  created_at: string,
  amount: number,
  currency: string,
  country: string | null,
  method: string | null,
  payment_source: string,
  intent: string,
  merchant_initiated: boolean,
  is_subsequent_payment: boolean,
  metadata: Record<string, string> | null,
  bin: string | null,
  scheme: string | null,
  card_type: string | null,
  issuer_country: string | null,
  buyer_id: string | null,
  buyer_external_identifier: string | null,
  error_code: string | null,
  eligible: string[] | null,
  actions: [FlowAction, string, RecordedAction['result']][] | null,
  named: boolean,
  payment_service_id: string | null,
  asked: string | null,
  attempted: string | null,
  attempt_status: string | null,
  corrected: boolean,
]

interface Page {
  /** Null: there are no more. */
  last: [string, string] | null
  read: number
  payments: Columns[]
}

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** How many transactions there are in a window, counted up to `most`. */
export async function countPayments({ run }: World, { account, from, to }: Window, most: number): Promise<number> {
  const [row] = await run<{ number: number }>(count, [account, from, to, most])
  return row?.number ?? 0
}

/** The payments of a window in pages, the newest first. The next page is read while one is worked on. */
export async function* pagesOf({ run }: World, { account, from, to }: Window): AsyncGenerator<RecordedPayment[], void> {
  const readAfter = async ([createdAt, id]: [string, string]) => (await run<Page & Record<string, unknown>>(page, [account, createdAt, id, from]))[0]
  let reading = readAfter([to, LAST_ID])
  for (;;) {
    const found = await reading
    if (!found?.last) return
    reading = found.read < PAGE ? Promise.resolve(undefined) : readAfter(found.last)
    // whoever has seen enough does not wait for it
    reading.catch(() => undefined)
    yield found.payments.map(recorded)
  }
}

const recorded = ([
  id,
  created_at,
  amount,
  currency,
  country,
  method,
  payment_source,
  intent,
  merchant_initiated,
  is_subsequent_payment,
  metadata,
  bin,
  scheme,
  card_type,
  issuer_country,
  buyer_id,
  buyer_external_identifier,
  error_code,
  eligible,
  actions,
  named,
  payment_service_id,
  asked,
  attempted,
  attempt_status,
  corrected,
]: Columns): RecordedPayment => ({
  id,
  created_at,
  amount,
  currency,
  country,
  method,
  payment_source,
  intent,
  merchant_initiated,
  is_subsequent_payment,
  metadata,
  bin,
  scheme,
  card_type,
  issuer_country,
  buyer_id,
  buyer_external_identifier,
  error_code,
  eligible,
  actions: actions?.map(([action, rule_id, result]) => ({ id: action, rule_id, result })) ?? null,
  named,
  payment_service_id,
  asked,
  attempted,
  attempt_status,
  corrected,
})
