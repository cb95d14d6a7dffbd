import { openStatusesInSql } from '../operations/operation.ts'
import { check, isNotOfRetiredPayment, retiredBelow, type TableCheck } from './finding.ts'

/**
 * The resource of each idempotency key exists (semantics §0.8). Keys of gift card requests have none until
 * the service approves, a backup leaves out delegated payments, and agentic checkouts that were not completed are deleted.
 */
export const orphanKeys = check(`
select k.merchant_account_id, k.resource_id as transaction_id, 'idempotency key of nothing' as problem, k.representation as stored, 'nothing' as computed
  from idempotency_keys k
  left join transactions t on t.merchant_account_id = k.merchant_account_id and t.id = k.resource_id
  left join operations o on o.merchant_account_id = k.merchant_account_id and o.id = k.resource_id
  left join payouts p on p.merchant_account_id = k.merchant_account_id and p.id = k.resource_id
  left join disputes d on d.merchant_account_id = k.merchant_account_id and d.id = k.resource_id
  left join payment_links l on l.merchant_account_id = k.merchant_account_id and l.id = k.resource_id
 where k.representation not in ('gift-card', 'delegated-payment', 'agentic-checkout') and coalesce(t.id, o.id, p.id, d.id, l.id) is null
   and ${isNotOfRetiredPayment('k.merchant_account_id', 'k.resource_id')}
   and coalesce((k.answer#>>'{transaction,id}')::uuid >= ${retiredBelow}, true)`)

export const storedAnswers = check(`
select k.merchant_account_id, coalesce(o.transaction_id, k.resource_id) as transaction_id, problem, coalesce(stored, 'nothing') as stored, coalesce(computed, 'nothing') as computed
  from idempotency_keys k
  left join operations o on o.merchant_account_id = k.merchant_account_id and o.id = (k.answer#>>'{operation,id}')::uuid
  left join transactions t on t.merchant_account_id = k.merchant_account_id and t.id = coalesce(o.transaction_id, k.resource_id),
       lateral (values
         ('stored answer: transaction', k.answer#>>'{transaction,id}', t.id::text),
         ('stored answer: currency', k.answer#>>'{transaction,currency}', t.currency),
         ('stored answer: operation', k.answer#>>'{operation,id}', o.id::text),
         ('stored answer: kind', k.answer#>>'{operation,kind}', o.kind),
         ('stored answer: amount', k.answer#>>'{operation,amount}', o.amount::text),
         ('stored answer: outcome', case when k.answer#>>'{operation,status}' in ('approved', 'declined', 'failed') then k.answer#>>'{operation,status}' end,
                                    case when k.answer#>>'{operation,status}' in ('approved', 'declined', 'failed') then o.status end),
         ('stored answer: what took effect', case when k.answer#>>'{operation,status}' = 'approved' then k.answer#>>'{operation,effective_amount}' end,
                                             case when k.answer#>>'{operation,status}' = 'approved' then o.effective_amount::text end),
         ('stored answer: authorized', case when k.answer#>>'{operation,status}' = 'approved' and k.answer#>>'{operation,kind}' in ('authorize', 'sale') then k.answer#>>'{transaction,authorized_amount}' end,
                                       case when k.answer#>>'{operation,status}' = 'approved' and k.answer#>>'{operation,kind}' in ('authorize', 'sale') then o.effective_amount::text end)
       ) as compared (problem, stored, computed)
 where k.answer->'transaction' is not null and stored is distinct from computed
   and (k.answer#>>'{transaction,id}')::uuid >= ${retiredBelow}`)

/** A decided request has its stored answer, which an idempotent replay needs. */
export const missingAnswers = check(`
select k.merchant_account_id, o.transaction_id, 'idempotency key without its answer' as problem, 'nothing' as stored, o.id::text as computed
  from idempotency_keys k
  join operations o on o.merchant_account_id = k.merchant_account_id and o.idempotency_scope = k.scope and o.idempotency_key = k.key
 where k.answer is null
   and not exists (select from operations open
                    where open.merchant_account_id = o.merchant_account_id and open.transaction_id = o.transaction_id and open.status in ${openStatusesInSql})`)

const DAY_MS = 86_400_000

/**
 * The key of each request exists for as long as keys are kept: without it, a repeated request would be
 * executed a second time. Keys older than the oldest existing one may have been deleted when keys were kept
 * for a shorter time; one day more is tolerated, because clocks differ.
 */
export const missingKeys = ({
  now,
  idempotencyRetention: days,
}: {
  now: number
  idempotencyRetention: number
}): TableCheck =>
  check(
    `
with request as (
  select merchant_account_id, idempotency_scope as scope, idempotency_key as key, min(created_at) as created_at, min(transaction_id::text) as transaction_id
    from operations
   where idempotency_key is not null
   group by 1, 2, 3
)
select r.merchant_account_id, r.transaction_id, 'idempotency key that is gone' as problem, 'nothing' as stored, r.scope as computed
  from request r
  left join account_clocks c on c.merchant_account_id = r.merchant_account_id
  left join idempotency_keys k on k.merchant_account_id = r.merchant_account_id and k.scope = r.scope and k.key = r.key
 where k.key is null
   and r.created_at > greatest($1::timestamptz + coalesce(c.ahead_ms, 0) * interval '1 millisecond', (select min(created_at) from idempotency_keys))`,
    [new Date(now - (days - 1) * DAY_MS).toISOString()],
  )
