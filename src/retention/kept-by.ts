import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { KeptBy } from '../database/tables/retention.ts'
import type { Tables } from '../database/tables.ts'
import { openStatusesInSql } from '../operations/operation.ts'

const DAY_MS = 86_400_000

/**
 * A payment that changed within so many days stays: its events are being read, and an authorization of it may be
 * captured still, which no scheme allows for longer.
 */
const QUIET_DAYS = 35

/**
 * A report file that was begun before so many days keeps nothing: payment services are not asked for older reports, so
 * that no later round reads it to its end.
 */
const UNREAD_REPORT_DAYS = 400

/** Rows are counted up to this number. */
const MAX_COUNT = 1_000

/**
 * Rows of one account that keep payments; they are looked for account by account, along the indexes. Those of
 * `transactions` are for payments that are `processing`, or for all others.
 */
const ofEachAccount = (rows: string) => `
select found.id
  from merchant_accounts a,
       lateral (${rows}
                 limit ${MAX_COUNT}) found`

/** Of a row of `disputes`. */
export const isOpenDispute = `status in ('inquiry', 'needs_response', 'under_review')`

/**
 * What keeps payments with ids below `$1` from being retired: the `id` of each such row. `$2`: nothing has changed
 * since then. `$3`: the reading of a report began since then.
 */
const reasons = {
  open_operations: ofEachAccount(`
select o.transaction_id as id
  from operations o
 where o.merchant_account_id = a.id
   and o.transaction_id < $1::uuid
   and (o.check_at is not null or o.status in ${openStatusesInSql})`),
  undecided_payments: `${ofEachAccount(`
select t.id
  from transactions t
 where t.merchant_account_id = a.id
   and t.id < $1::uuid
   and t.status = 'processing'`)}
union all
${ofEachAccount(`
select t.id
  from transactions t
 where t.merchant_account_id = a.id
   and t.id < $1::uuid
   and t.status in ('buyer_approval_pending', 'authorization_void_pending', 'capture_pending')`)}`,
  pending_reviews: ofEachAccount(`
select t.id
  from transactions t
 where t.merchant_account_id = a.id
   and t.id < $1::uuid
   and t.pending_review`),
  recent_changes: ofEachAccount(`
select t.id
  from transactions t
 where t.merchant_account_id = a.id
   and t.id < $1::uuid
   and t.status <> 'processing'
   and t.updated_at >= $2::timestamptz`),
  pending_payouts: `
select id
  from payouts
 where id < $1::uuid
   and status = 'pending'`,
  open_disputes: `
select coalesce(transaction_id, id) as id
  from disputes
 where coalesce(transaction_id, id) < $1::uuid
   and ${isOpenDispute}`,
  unsent_webhooks: `
select d.webhook_subscription_id as id
  from webhook_deliveries d
  join webhook_subscriptions s
    on s.id = d.webhook_subscription_id
   and s.active
   and s.deleted_at is null
 where d.id < $1::uuid
   and d.status = 'waiting'
union all
select q.webhook_subscription_id
  from webhook_queues q
  join webhook_subscriptions s
    on s.id = q.webhook_subscription_id
   and s.active
   and s.deleted_at is null
 where exists (select from merchant_accounts a
                where (s.merchant_account_id is null or s.merchant_account_id = a.id)
                  and exists (select from events e
                               where e.merchant_account_id = a.id
                                 and e.id < $1::uuid
                                 and (e.position, e.sequence, e.id) > (q.position, q.sequence, q.event_id)))`,
  reports_under_way: `
select report_id as id
  from report_executions
 where due_at is not null`,
  // a report that was fetched since then has been read with the content that it has now
  unread_settlement_reports: `
select f.report_id as id
  from payment_service_report_files f
  join payment_service_reports r
    on r.merchant_account_id = f.merchant_account_id
   and r.payment_service_id = f.payment_service_id
   and r.id = f.report_id
 where f.finished_at is null
   and f.created_at >= $3::timestamptz
   and (r.fetched_at is null or r.fetched_at <= f.created_at)`,
}

/**
 * What keeps payments beside the reasons of `findKeepers`: rows that no link of the journal covers yet, links that are
 * not what was sealed, payments that do not follow from their operations, and files that could not be written.
 */
type FoundLater = 'unsealed_rows' | 'broken_links' | 'wrong_payments' | 'archive_failed'

export const keeper = (reason: FoundLater, example: string): KeptBy => ({ reason, rows: 1, example })

/**
 * What keeps payments with ids below `below` from being retired. Empty: nothing does. `now`: milliseconds since 1970.
 */
export async function findKeepers(db: Kysely<Tables>, below: string, now: number): Promise<KeptBy[]> {
  const daysAgo = (days: number) => pg.escapeLiteral(new Date(now - days * DAY_MS).toISOString())
  const found: KeptBy[] = []
  for (const [reason, statement] of Object.entries(reasons)) {
    const kept = statement
      .replaceAll('$1', pg.escapeLiteral(below))
      .replaceAll('$2', daysAgo(QUIET_DAYS))
      .replaceAll('$3', daysAgo(UNREAD_REPORT_DAYS))
    const { rows } = await sql<{ rows: number; example: string | null }>`
      select count(*) as rows,
             min(id::text) as example
        from (select id from (${sql.raw(kept)}) kept limit ${sql.lit(MAX_COUNT)}) counted`.execute(db)
    const [{ rows: count, example } = { rows: 0, example: null }] = rows
    if (example !== null) found.push({ reason, rows: count, example })
  }
  return found
}
