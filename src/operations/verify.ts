import type { Statements } from '../database/statements.ts'

/** One transaction or payout that is not what its operations make it. */
export interface Finding {
  merchant_account_id: string
  /** Or of a payout. */
  transaction_id: string
  problem: string
  stored: string
  computed: string
}

export interface Verification {
  transactions: number
  payouts: number
  operations: number
  /** Operations whose outcome is not known yet: no error, as recovery is at it. */
  undecided: number
  findings: Finding[]
}

/**
 * Every transaction's amounts, computed again from its operations (DESIGN §1). The first payment operation carries the amount that was asked
 * for, and before there is one the buyer's approval or a check does; corrections by a person count with their difference.
 */
const amounts = `
with computed as (
  select o.merchant_account_id, o.transaction_id,
         coalesce(sum(o.effective_amount) filter (where o.status = 'approved' and o.kind in ('authorize', 'sale', 'increment')), 0) + coalesce(sum(corrected('authorized_amount', o)), 0) as authorized,
         coalesce(sum(o.effective_amount) filter (where o.status = 'approved' and o.kind in ('sale', 'capture')), 0) + coalesce(sum(corrected('captured_amount', o)), 0) as captured,
         coalesce(sum(o.effective_amount) filter (where o.status = 'approved' and o.kind = 'refund'), 0) as refunded,
         coalesce(sum(o.amount) filter (where o.kind = 'capture' and open(o)), 0) as capture_reserved,
         coalesce(sum(o.amount) filter (where o.kind = 'refund' and open(o)), 0) as refund_reserved,
         coalesce((array_agg(o.amount order by case when o.kind in ('screening', 'authentication') then 2 when o.kind = 'approval' then 1 else 0 end, o.id)
            filter (where o.kind in ('screening', 'authentication', 'approval', 'authorize', 'sale')))[1], 0)
           + coalesce(sum(o.effective_amount) filter (where o.status = 'approved' and o.kind = 'increment'), 0) + coalesce(sum(corrected('amount', o)), 0) as amount,
         coalesce(sum(o.effective_amount) filter (where o.status = 'approved' and o.kind = 'redeem'), 0) as redeemed,
         coalesce(sum(o.effective_amount) filter (where o.status = 'approved' and o.kind in ('reverse', 'gift-card-refund')), 0) as put_back,
         coalesce(sum(o.amount) filter (where o.kind = 'gift-card-refund' and open(o)), 0) as put_back_reserved,
         count(*) filter (where o.status = 'approved' and o.kind in ('authorize', 'sale')) as payments,
         count(*) filter (where o.status = 'approved' and o.kind = 'void') as voids
    from operations o group by o.merchant_account_id, o.transaction_id
)
select t.merchant_account_id, t.id as transaction_id, problem, stored::text, computed::text
  from transactions t join computed c on c.merchant_account_id = t.merchant_account_id and c.transaction_id = t.id,
       lateral (
         select coalesce(sum((r->>'amount')::bigint), 0) as amount, coalesce(sum((r->>'amount')::bigint) filter (where r->>'status' = 'succeeded'), 0) as redeemed,
                coalesce(sum((r->>'refunded')::bigint), 0) as refunded, coalesce(sum((r->>'refund_reserved')::bigint), 0) as reserved
           from jsonb_array_elements(coalesce(t.gift_cards->'redemptions', '[]')) r
       ) as cards,
       lateral (values
         ('amount', t.amount, c.amount + cards.amount), ('gift card redemptions', cards.redeemed, c.redeemed), ('refunded to gift cards', cards.refunded, c.put_back),
         ('refunds to gift cards under way', cards.reserved, c.put_back_reserved), ('authorized_amount', t.authorized_amount, c.authorized), ('captured_amount', t.captured_amount, c.captured),
         ('refunded_amount', t.refunded_amount, c.refunded), ('capture_reserved', t.capture_reserved, c.capture_reserved),
         ('refund_reserved', t.refund_reserved, c.refund_reserved), ('approved authorizations (at most 1)', least(c.payments, 1), c.payments),
         ('captured after a void', 0, case when c.voids > 0 and c.captured > 0 then c.captured else 0 end)
       ) as compared (problem, stored, computed)
 where stored <> computed
 limit 100`
  .replaceAll(
    /corrected\('(\w+)', o\)/g,
    "case when o.kind = 'correction' and o.input->'after' ? '$1' then (o.input#>>'{after,$1}')::bigint - (o.input#>>'{before,$1}')::bigint end",
  )
  .replaceAll('open(o)', "o.status in ('queued', 'sent', 'unknown', 'pending')")

/** What must never be in the tables, whatever the amounts say. */
const states = `
select t.merchant_account_id, t.id as transaction_id, problem, coalesce(stored, 'nothing') as stored, coalesce(computed, 'nothing') as computed
  from transactions t
  left join operations o on o.merchant_account_id = t.merchant_account_id and o.id = t.active_operation_id,
       lateral (values
         ('operation under way', t.active_operation_id::text, case when o.status in ('queued', 'sent', 'unknown') then o.id::text end),
         ('processing without an open operation', case when t.status = 'processing' then 'processing' end,
           case when t.status = 'processing' and exists (select from operations p where p.merchant_account_id = t.merchant_account_id and p.transaction_id = t.id
             and p.status in ('queued', 'sent', 'unknown', 'pending')) then 'processing' end),
         ('waiting for a buyer without an open approval', case when t.status = 'buyer_approval_pending' then 'waiting' end,
           case when t.status = 'buyer_approval_pending' and exists (select from operations p where p.merchant_account_id = t.merchant_account_id
             and p.transaction_id = t.id and p.kind in ('approval', 'authentication') and p.status in ('sent', 'unknown', 'pending')) then 'waiting' end),
         ('event of its outcome', case when t.status <> 'processing' then 'told' end, case when t.status <> 'processing' and t.event_count > 0 then 'told' end)
       ) as compared (problem, stored, computed)
 where stored is distinct from computed
 limit 100`

const orphans = `
select o.merchant_account_id, o.transaction_id, 'operation without a transaction' as problem, o.id::text as stored, 'nothing' as computed
  from operations o left join transactions t on t.merchant_account_id = o.merchant_account_id and t.id = o.transaction_id
 where t.id is null and o.kind <> 'payout'
union all
select o.merchant_account_id, o.transaction_id, 'operation without a payout', o.id::text, 'nothing'
  from operations o left join payouts p on p.merchant_account_id = o.merchant_account_id and p.id = o.transaction_id
 where p.id is null and o.kind = 'payout' limit 100`

/** A payout is sent once, by one operation, and is what that came to. */
const payouts = `
select p.merchant_account_id, p.id as transaction_id, 'payout: ' || problem as problem, coalesce(stored, 'nothing') as stored, coalesce(computed, 'nothing') as computed
  from payouts p
  left join lateral (
    select count(*)::text as operations, min(case when status = 'approved' then 'succeeded' when status in ('declined', 'failed') then status else 'pending' end) as status,
           min(coalesce(effective_amount, amount))::text as amount, min(currency) as currency, min(payment_service_id::text) as service,
           min(payment_service_operation_id) as reference
      from operations o where o.merchant_account_id = p.merchant_account_id and o.transaction_id = p.id and o.kind = 'payout') o on true,
       lateral (values
         ('operations', '1', o.operations), ('status', p.status, o.status), ('amount', p.amount::text, o.amount), ('currency', p.currency, o.currency),
         ('payment service', p.payment_service_id::text, o.service), ('id at the payment service', p.payment_service_payout_id, o.reference),
         ('event of its outcome', case when p.status <> 'pending' then 'told' end, case when p.status <> 'pending' and p.event_count > 0 then 'told' end)
       ) as compared (problem, stored, computed)
 where stored is distinct from computed
 limit 100`

/** A payment method that a payment stores is provisional until that payment is decided, and gone or kept from then on (SEMANTICS §3.9, `store`). */
const provisional = `
select p.merchant_account_id, coalesce(t.id, p.id) as transaction_id, 'provisional payment method without a payment under way' as problem, p.id::text as stored, 'nothing' as computed
  from payment_methods p
  left join transactions t on t.merchant_account_id = p.merchant_account_id and t.payment_method->>'id' = p.id::text and t.payment_method ? 'provisional'
 where p.provisional and not exists (select from operations o where o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id
   and o.kind in ('screening', 'authentication', 'approval', 'authorize', 'sale') and o.status in ('queued', 'sent', 'unknown', 'pending'))
 limit 100`

/** What is shown as settled of payments and refunds is the sum of the lines that were booked for them. */
const settled = `
with booked as (
  select merchant_account_id, transaction_id, refund_id, coalesce(sum(amount) filter (where type in ('settlement', 'refund-settlement')), 0) as amount,
         bool_or(type = 'chargeback') as disputed, bool_or(type = 'settlement') as settled
    from settlements group by 1, 2, 3
)
select t.merchant_account_id, t.id as transaction_id, problem, stored, computed
  from transactions t left join booked b on b.merchant_account_id = t.merchant_account_id and b.transaction_id = t.id and b.refund_id is null,
       lateral (values
         ('settled_amount', t.settled_amount::text, coalesce(b.amount, 0)::text), ('settled', t.settled::text, coalesce(b.settled, false)::text),
         ('disputed', t.disputed::text, coalesce(b.disputed, false)::text)
       ) as compared (problem, stored, computed)
 where stored <> computed
union all
select o.merchant_account_id, o.transaction_id, 'settled_amount of a refund', coalesce(o.settled_amount, 0)::text, coalesce(b.amount, 0)::text
  from operations o left join booked b on b.merchant_account_id = o.merchant_account_id and b.transaction_id = o.transaction_id and b.refund_id = o.id
 where o.kind = 'refund' and coalesce(o.settled_amount, 0) <> coalesce(b.amount, 0)
 limit 100`

/** Each event of a transaction, capture, refund or payout is in the log, once, under the numbers from 1 to its count. */
const eventNumbers = `
select r.merchant_account_id, r.transaction_id, 'events of its ' || r.kind as problem, r.event_count::text as stored,
       coalesce(l.count, 0) || coalesce(', the last ' || l.last, '') as computed
  from (select merchant_account_id, id, id as transaction_id, 'transaction' as kind, event_count from transactions
        union all select merchant_account_id, id, id, 'payout', event_count from payouts
        union all select merchant_account_id, id, transaction_id, kind, event_count from operations where event_count > 0) r
  left join (select merchant_account_id, target_id, count(distinct sequence) as count, max(sequence) as last from events group by 1, 2) l
    on l.merchant_account_id = r.merchant_account_id and l.target_id = r.id
 where r.event_count <> coalesce(l.count, 0) or r.event_count <> coalesce(l.last, 0)
 limit 100`

const totals = `
select (select count(*) from transactions) as transactions, (select count(*) from payouts) as payouts, count(*) as operations, count(*) filter (where status in ('queued', 'sent', 'unknown')) as undecided from operations`

/** Proves DESIGN §1, 1 and 2, from the tables. */
export async function verify(run: Statements): Promise<Verification> {
  const findings = await Promise.all(
    [amounts, states, orphans, payouts, provisional, settled, eventNumbers].map((statement) => run<Finding & Record<string, unknown>>(statement, [])),
  )
  const [counted] = await run<{ transactions: number; payouts: number; operations: number; undecided: number }>(totals, [])
  return { transactions: 0, payouts: 0, operations: 0, undecided: 0, ...counted, findings: findings.flat() }
}
