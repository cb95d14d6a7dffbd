import { setTimeout as wait } from 'node:timers/promises'
import { backgroundTasks } from '../../background/background.ts'
import { recoverOperationOrReview } from '../../background/recover-operation.ts'
import { deleteOldData } from '../../background/retention.ts'
import { currentTimeValues } from '../../base/account-clock.ts'
import { type Clock, timeOf } from '../../base/clock.ts'
import { eraseExpiredCardData } from '../../checkout/sessions/erase-expired.ts'
import { startSender } from '../../events/delivery/sender.ts'
import { takeSamples } from '../../monitoring/sampling.ts'
import { recoverDueOperations } from '../../operations/recovery.ts'
import { expireDueLinks } from '../../payment-links/expire-links.ts'
import { runDueErasures } from '../../privacy/run-erasures.ts'
import { fetchReports } from '../../reconciliation/fetch-reports.ts'
import { makeReports } from '../../reports/executions/make-reports.ts'
import type { World } from '../../world.ts'

/** A kind of background work of an account. */
interface Job {
  /** SQL for the time at which the next one of account $1 is due: one row or none; null is never. */
  due: string
  /**
   * Does the work that is due at the current account time. Kinds with the same function are done together.
   */
  run: (world: World) => Promise<unknown>
}

/** The simulators write a report at midnight (UTC): hourly checks in between would find none. */
const nextReport = `
select case
         when c.check_at <= $2::timestamptz then c.check_at
         else (date_trunc('day', c.check_at at time zone 'UTC') + interval '1 day') at time zone 'UTC'
       end
  from payment_service_report_checks c
  join payment_services s on s.merchant_account_id = c.merchant_account_id and s.id = c.payment_service_id
 where c.merchant_account_id = $1
   and s.settlement_reporting_enabled
   and s.active
   and s.deleted_at is null
 order by 1
 limit 1`

/**
 * A metric looks back at most an hour: samples without payments in that time neither open nor close an
 * incident.
 */
const nextSample = `
select min(next_sample_at) from monitoring_metrics m
 where merchant_account_id = $1
   and deleted_at is null
   and exists (
     select
       from transactions t
      where t.merchant_account_id = m.merchant_account_id
        and t.created_at >= m.next_sample_at - interval '1 hour'
   )`

const nextDelivery = `
select min(greatest(d.due_at, q.resume_at))
  from webhook_subscriptions s
  join webhook_queues q on q.webhook_subscription_id = s.id
  join webhook_deliveries d on d.webhook_subscription_id = s.id and d.status = 'waiting' and d.due_at is not null
 where s.merchant_account_id = $1
   and s.active
   and s.deleted_at is null`

const earliest = (table: string, column: string, where = 'true') =>
  `select min(${column}) from ${table} where merchant_account_id = $1 and ${where}`

/**
 * The jobs in the order in which jobs that are due at the same time run: first operations, then what follows
 * from them, then webhooks.
 */
export const jobs = {
  operations: {
    due: earliest('operations', 'check_at', 'check_at is not null'),
    run: (world) => recoverDueOperations(world, recoverOperationOrReview(world)),
  },
  'network tokens': {
    due: earliest('network_tokens', 'check_at', 'check_at is not null'),
    run: runMaintenance,
  },
  'payment service tokens': {
    due: earliest('payment_service_tokens', 'check_at', 'check_at is not null'),
    run: runMaintenance,
  },
  'account updater': {
    due: earliest('account_updater_inquiries', 'check_at', 'check_at is not null'),
    run: runMaintenance,
  },
  'payment links': { due: earliest('payment_links', 'expires_at', `status = 'active'`), run: expireDueLinks },
  'settlement reports': { due: nextReport, run: fetchReports },
  'scheduled reports': {
    due: earliest('reports', 'next_execution_at', 'schedule_enabled'),
    run: makeReports,
  },
  reports: { due: earliest('report_executions', 'due_at', 'due_at is not null'), run: makeReports },
  monitoring: { due: nextSample, run: takeDueSamples },
  'checkout sessions': { due: earliest('checkout_sessions', 'expires_at'), run: eraseExpiredCardData },
  'security codes': { due: earliest('security_codes', 'expires_at'), run: eraseExpiredCardData },
  erasures: { due: earliest('buyer_erasures', 'due_at', 'due_at is not null'), run: runDueErasures },
  'delegated cards': {
    due: earliest('delegated_payments', 'expires_at', 'sealed is not null'),
    run: eraseExpiredCardData,
  },
  'agentic checkouts': {
    due: earliest('agentic_checkouts', "expires_at + interval '1 day'", "status in ('open', 'canceled')"),
    run: eraseExpiredCardData,
  },
  'held cards': { due: earliest('held_instruments', 'expires_at'), run: eraseExpiredCardData },
  /** Never due by itself: it runs when a clock starts to advance and when it has arrived. */
  retention: { due: 'select null::timestamptz', run: deleteOldData },
  webhooks: { due: nextDelivery, run: deliverWebhooks },
} as const satisfies Record<string, Job>

export type JobName = keyof typeof jobs

export const jobNames: readonly JobName[] = Object.keys(jobs).filter((name): name is JobName => name in jobs)

async function runMaintenance(world: World): Promise<void> {
  for (const chore of backgroundTasks) await chore(world)
}

/** Longer than a webhook receiver's time limit. In milliseconds. */
const LEASE_WAIT_MS = 8_000

/**
 * Does work, and again while `left` (SQL of account $1 and the time $2) finds a row that another process works on: only
 * the result of that shows when the next job is due.
 */
async function workUntilNoneLeft(
  world: World,
  left: { sql: string; clock: Clock },
  work: () => Promise<unknown>,
): Promise<void> {
  const giveUpAt = world.machineClock.now() + LEASE_WAIT_MS
  const [account] = currentTimeValues()
  const isLeft = async () => (await world.run(left.sql, [account, timeOf(left.clock)])).length > 0
  await work()
  while ((await isLeft()) && world.machineClock.now() < giveUpAt) {
    await wait(10)
    await work()
  }
}

const dueSamples = `
select 1 as one
  from monitoring_metrics
 where merchant_account_id = $1
   and deleted_at is null
   and next_sample_at <= $2::timestamptz
 limit 1`

async function takeDueSamples(world: World): Promise<void> {
  await workUntilNoneLeft(world, { sql: dueSamples, clock: world.clock }, () => takeSamples(world))
}

/** The account's webhook queues that a process holds a lease of. */
const leasedQueues = `
select 1 as one
  from webhook_queues q
  join webhook_subscriptions s on s.id = q.webhook_subscription_id
 where s.merchant_account_id = $1
   and s.active
   and s.deleted_at is null
   and q.leased_by is not null
   and q.leased_until > $2::timestamptz
 limit 1`

/** Sends the account's webhooks with its own sender, since an API process may have none. */
async function deliverWebhooks(world: World): Promise<void> {
  const sender = startSender(world)
  await workUntilNoneLeft(world, { sql: leasedQueues, clock: world.machineClock }, sender.runOnce)
  await sender.stop()
}
