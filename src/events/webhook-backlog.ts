import type { Statements } from '../database/statements.ts'

/** What webhooks are behind, of the whole instance: for alarms. */
export interface WebhookBacklog {
  /** Queues whose receivers are taken to be down. */
  resting: number
  /** Deliveries that wait and could be sent now. */
  due: number
  /** Since when the oldest of those could be, in seconds; 0: there is none. */
  oldestDueSeconds: number
  /** How long ago the first event happened that a queue has not come to, in seconds; 0: there is none. */
  oldestUndeliveredSeconds: number
}

const backlog = `
with active as materialized (
  select q.*, s.merchant_account_id
    from webhook_queues q join webhook_subscriptions s on s.id = q.webhook_subscription_id
   where s.active and s.deleted_at is null),
due as (
  select count(*) as count, min(d.due_at) as oldest
    from active a join webhook_deliveries d on d.webhook_subscription_id = a.webhook_subscription_id
   where d.status = 'waiting' and d.due_at <= $1::timestamptz),
undelivered as (
  select min(next.created_at) as oldest
    from active a
    join merchant_accounts m on a.merchant_account_id is null or m.id = a.merchant_account_id,
    lateral (
      select created_at from events e
       where e.merchant_account_id = m.id and (e.position, e.sequence, e.id) > (a.position, a.sequence, a.event_id)
       order by position, sequence, id limit 1) next)
select (select count(*) from active where resume_at > $1::timestamptz) as resting,
       due.count as due,
       coalesce(extract(epoch from $1::timestamptz - due.oldest), 0)::float8 as "oldestDueSeconds",
       coalesce(greatest(extract(epoch from $1::timestamptz - undelivered.oldest), 0), 0)::float8 as "oldestUndeliveredSeconds"
  from due, undelivered`

/** `now`: milliseconds since 1970. */
export async function webhookBacklog(run: Statements, now: number): Promise<WebhookBacklog> {
  const [row] = await run<WebhookBacklog & Record<string, unknown>>(backlog, [new Date(now).toISOString()])
  return row ?? { resting: 0, due: 0, oldestDueSeconds: 0, oldestUndeliveredSeconds: 0 }
}
