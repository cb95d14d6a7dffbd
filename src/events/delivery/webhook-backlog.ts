import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'

/** Webhook deliveries that are still to be made. */
export interface WebhookBacklog {
  /** Queues that pause, since their receivers are down. */
  resting: number
  /**
   * Deliveries that wait for an attempt, and those that were given up, of subscriptions that are not deleted;
   * counted up to 10,000.
   */
  waiting: number
  failed: number
  /** When the oldest event happened whose delivery waits; null: none waits. */
  waitingSince: string | null
  /**
   * When the oldest event happened that no sender has read yet, though its receiver is not failing; null:
   * there is none.
   */
  unreadSince: string | null
}

const MAX_COUNT = 10_000

const deliveries = (status: 'waiting' | 'failed') => `
  select d.created_at
    from webhook_subscriptions s, lateral (
         select created_at
           from webhook_deliveries
          where webhook_subscription_id = s.id
            and status = '${status}'
          limit ${MAX_COUNT}) d
   where s.deleted_at is null
   limit ${MAX_COUNT}`

/** The queues of failing receivers are left out of "unreadSince": their lag is not the senders' fault. */
const selectBacklog = `
select (select count(*)
          from webhook_queues q
          join webhook_subscriptions s on s.id = q.webhook_subscription_id
         where s.active
           and s.deleted_at is null
           and q.resume_at > $1::timestamptz) as resting,
       (select count(*) from (${deliveries('waiting')}) waiting) as waiting,
       (select count(*) from (${deliveries('failed')}) failed) as failed,
       (select min(created_at) from (${deliveries('waiting')}) waiting) as "waitingSince",
       (select min(next.created_at)
          from webhook_queues q
          join webhook_subscriptions s on s.id = q.webhook_subscription_id
          join account_shards a (id) on s.merchant_account_id is null or a.id = s.merchant_account_id, lateral (
               select created_at
                 from events e
                where e.merchant_account_id = a.id
                  and (e.position, e.sequence, e.id) > (q.position, q.sequence, q.event_id)
                order by position, sequence, id
                limit 1) next
         where s.active
           and s.deleted_at is null
           and q.failing_since is null) as "unreadSince"`

export async function webhookBacklog(world: Pick<World, 'run' | 'clock'>): Promise<WebhookBacklog> {
  const [row] = await world.run<WebhookBacklog & Record<string, unknown>>(selectBacklog, [
    timeOf(world.clock),
  ])
  return row ?? { resting: 0, waiting: 0, failed: 0, waitingSince: null, unreadSince: null }
}
