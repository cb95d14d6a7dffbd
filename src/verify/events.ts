import { check, comparisonSql, isNotOfRetiredPayment, retiredBelow } from './finding.ts'

/**
 * Each event of a resource is in the log once, with the sequence numbers from 1 to its count. The first events of a
 * resource that outlives payments may be retired.
 */
export const eventNumbers = check(`
select r.merchant_account_id, r.transaction_id, 'events of its ' || r.kind as problem, r.event_count::text as stored,
       coalesce(l.count, 0) || coalesce(', the last ' || l.last, '') as computed
  from (select merchant_account_id, id, id as transaction_id, 'transaction' as kind, event_count from transactions
        union all select merchant_account_id, id, id, 'payout', event_count from payouts where id >= ${retiredBelow}
        union all select merchant_account_id, id, transaction_id, kind, event_count from operations where event_count > 0
        union all select merchant_account_id, target_id, target_id, 'resource', last from event_sequences) r
  left join (select merchant_account_id, target_id, count(*) as count, count(distinct sequence) as numbers, min(sequence) as first, max(sequence) as last from events group by 1, 2) l
    on l.merchant_account_id = r.merchant_account_id and l.target_id = r.id
 where (r.kind <> 'resource' or r.transaction_id >= ${retiredBelow} or l.count is not null)
   and (r.event_count - case when r.kind = 'resource' and r.transaction_id < ${retiredBelow} then l.first - 1 else 0 end <> coalesce(l.count, 0)
        or coalesce(l.count, 0) <> coalesce(l.numbers, 0)
        or r.event_count <> coalesce(l.last, 0))`)

/** The resource of each event exists. */
export const orphanEvents = check(`
select e.merchant_account_id, e.target_id as transaction_id, 'event of nothing' as problem, e.name as stored, 'nothing' as computed
  from events e
  left join transactions t on t.merchant_account_id = e.merchant_account_id and t.id = e.target_id
  left join operations o on o.merchant_account_id = e.merchant_account_id and o.id = e.target_id
  left join payouts p on p.merchant_account_id = e.merchant_account_id and p.id = e.target_id
  left join event_sequences s on s.merchant_account_id = e.merchant_account_id and s.target_id = e.target_id
 where coalesce(t.id, o.id, p.id, s.target_id) is null
   and ${isNotOfRetiredPayment('e.merchant_account_id', 'e.target_id')}`)

/** The last event of a payment equals its row, because each change of the status has an event. */
export const lastEventOfTransaction = check(
  comparisonSql(
    't.merchant_account_id',
    't.id',
    'transactions t join events e on e.merchant_account_id = t.merchant_account_id and e.target_id = t.id and e.sequence = t.event_count',
    [
      ['last event: status', 't.status', `e.target->>'status'`],
      ['last event: captured_amount', 't.captured_amount', `coalesce(e.target->>'captured_amount', '0')`],
      // an increment shows in the next event
      [
        'last event: amount',
        `case when t.authorized_amount = (e.target->>'authorized_amount')::bigint then t.amount end`,
        `case when t.authorized_amount = (e.target->>'authorized_amount')::bigint then e.target->>'amount' end`,
      ],
    ],
  ),
)

export const lastEventOfOperation = check(
  comparisonSql(
    'o.merchant_account_id',
    'o.transaction_id',
    'operations o join events e on e.merchant_account_id = o.merchant_account_id and e.target_id = o.id and e.sequence = o.event_count',
    [
      [
        'last event of an operation: status',
        // a refused pending sale has an event of its transaction alone
        `case when o.late_failure is not null then 'failed' when o.status = 'approved' then 'succeeded' when o.status in ('declined', 'failed') and o.kind <> 'sale' then o.status else 'open' end`,
        `case when e.target->>'status' in ('succeeded', 'declined', 'failed') then e.target->>'status' else 'open' end`,
      ],
      ['last event of an operation: amount', 'coalesce(o.effective_amount, o.amount)', `e.target->>'amount'`],
    ],
  ),
)

export const lastEventOfPayout = check(
  comparisonSql(
    'p.merchant_account_id',
    'p.id',
    'payouts p join events e on e.merchant_account_id = p.merchant_account_id and e.target_id = p.id and e.sequence = p.event_count',
    [
      ['last event of a payout: status', 'p.status', `e.target->>'status'`],
      ['last event of a payout: amount', 'p.amount', `e.target->>'amount'`],
      ['last event of a payout: currency', 'p.currency', `e.target->>'currency'`],
    ],
  ),
)

/** The last event of a payment link equals its row, because each change has an event. */
export const lastEventOfLink = check(
  comparisonSql(
    'l.merchant_account_id',
    'l.id',
    `payment_links l
  left join event_sequences s on s.merchant_account_id = l.merchant_account_id and s.target_id = l.id
  left join events e on e.merchant_account_id = l.merchant_account_id and e.target_id = l.id and e.sequence = s.last
 where e.id is not null or l.id >= ${retiredBelow}`,
    [
      ['last event of a payment link: status', 'l.status', `e.target->>'status'`],
      ['last event of a payment link: amount', 'l.amount', `e.target->>'amount'`],
      ['last event of a payment link: currency', 'l.currency', `e.target->>'currency'`],
      ['last event of a payment link: intent', 'l.intent', `e.target->>'intent'`],
      ['last event of a payment link: buyer', 'l.buyer_id', `e.target->>'buyer_id'`],
    ],
  ),
)

/** A payment that was released after a review has the event of its acceptance. */
export const reviewAccepted = check(`
select t.merchant_account_id, t.id as transaction_id, 'let go without a review that accepts it' as problem, t.anti_fraud->>'decision' as stored, 'review' as computed
  from transactions t
  join operations o on o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id and o.kind = 'screening' and o.facts->>'raw_response_code' = 'review'
 where t.anti_fraud->>'decision' = 'accept' and not t.pending_review and t.status not in ('authorization_voided', 'authorization_failed')
   and not exists (select from events e
                    where e.merchant_account_id = t.merchant_account_id and e.target_id = t.id and e.name = 'transaction.review-accepted')`)
