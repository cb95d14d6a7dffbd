import { sql } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { World } from '../../world.ts'
import { hasNewEvents, newestEvents } from './webhook-queue.store.ts'

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

const selectBacklog = `
select (select count(*)
          from webhook_queues q
          join webhook_subscriptions s on s.id = q.webhook_subscription_id
         where s.active
           and s.deleted_at is null
           and q.resume_at > $1::timestamptz) as resting,
       (select count(*) from (${deliveries('waiting')}) waiting) as waiting,
       (select count(*) from (${deliveries('failed')}) failed) as failed,
       (select min(created_at) from (${deliveries('waiting')}) waiting) as "waitingSince"`

interface LaggingQueue {
  account: string | null
  position: number
  sequence: number
  event: string
}

/** Queues that were not read to the end of the log. */
const MAX_LAGGING = 100

/** Those of failing receivers are left out: their lag is not the senders' fault. */
const selectLagging = sql<LaggingQueue>`
with ${newestEvents(Number.MAX_SAFE_INTEGER)}
select s.merchant_account_id as account, q.position, q.sequence, q.event_id as event
  from webhook_queues q
  join webhook_subscriptions s on s.id = q.webhook_subscription_id
 where s.active
   and s.deleted_at is null
   and q.failing_since is null
   and ${hasNewEvents}
 order by q.position
 limit ${MAX_LAGGING}`

const selectNextEvent = namedStatement(
  ['account', 'position', 'sequence', 'event'],
  (p) => `
select min(next.created_at) as created_at
  from account_shards a (id), lateral (
       select created_at
         from events e
        where e.merchant_account_id = a.id
          and (e.position, e.sequence, e.id) > (${p.position}::bigint, ${p.sequence}::int, ${p.event}::uuid)
        order by position, sequence, id
        limit 1) next
 where ${p.account}::text is null
    or a.id = ${p.account}`,
)

async function oldestUnread(world: Pick<World, 'run' | 'db'>): Promise<string | null> {
  const times: string[] = []
  for (const queue of (await selectLagging.execute(world.db)).rows) {
    const [next] = await selectNextEvent.run<{ created_at: string | null }>(world, { ...queue })
    if (next?.created_at) times.push(next.created_at)
  }
  return times.sort()[0] ?? null
}

export async function webhookBacklog(world: Pick<World, 'run' | 'db' | 'clock'>): Promise<WebhookBacklog> {
  const [row] = await world.run<Omit<WebhookBacklog, 'unreadSince'> & Record<string, unknown>>(
    selectBacklog,
    [timeOf(world.clock)],
  )
  const counts = row ?? { resting: 0, waiting: 0, failed: 0, waitingSince: null }
  return { ...counts, unreadSince: await oldestUnread(world) }
}
