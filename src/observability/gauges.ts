import { CLOSING_MARK } from '../connectors/contract/call.ts'
import { PROOF_NAMES } from '../database/partitions/cut-table.ts'
import { webhookBacklog } from '../events/delivery/webhook-backlog.ts'
import { openStatuses } from '../operations/operation.ts'
import type { World } from '../world.ts'

/** A value of a gauge for some labels. */
export interface GaugeReading {
  gauge: GaugeName
  labels?: Record<string, string>
  value: number
}

/** The gauges that a scrape reads from the database. */
export const gauges = {
  railyard_operations_due: { help: 'Operations whose time to be looked up has come', labels: [] },
  railyard_operations_due_age_seconds: { help: 'For how long the longest of them has waited', labels: [] },
  railyard_operations_open: { help: 'Operations without a final outcome', labels: ['status'] },
  railyard_operations_open_age_seconds: { help: 'Age of the oldest of them', labels: ['status'] },
  railyard_cancellations_pending_age_seconds: {
    help: 'Age of the oldest operation that waits until a payment service has cancelled or voided',
    labels: [],
  },
  railyard_circuits: {
    help: 'Payment services that are left out, or tried again',
    labels: ['definition', 'state'],
  },
  railyard_event_log_held_seconds: {
    help: 'For how long a writing transaction has kept readers of the event log from going on',
    labels: [],
  },
  railyard_event_log_newest_age_seconds: { help: 'Age of the newest event', labels: [] },
  railyard_webhook_deliveries: {
    help: 'Deliveries that wait for an attempt, and those given up',
    labels: ['status'],
  },
  railyard_webhook_delivery_age_seconds: { help: 'Age of the oldest event whose delivery waits', labels: [] },
  railyard_webhook_resting_subscriptions: {
    help: 'Subscriptions whose receivers are taken to be down',
    labels: [],
  },
  railyard_webhook_lag_seconds: {
    help: 'Age of the oldest event that is not taken out of the log for a subscription whose receiver answers',
    labels: [],
  },
  railyard_audit_unsealed_entries: { help: 'Audit entries that no link of the chain covers yet', labels: [] },
  railyard_audit_unsealed_age_seconds: { help: 'Age of the oldest of them', labels: [] },
  railyard_reports_due: {
    help: 'Reports that wait to be made, or whose process was not heard of for a while',
    labels: [],
  },
  railyard_retirement_kept: {
    help: 'Rows that keep payments which are old enough to be retired',
    labels: ['reason'],
  },
  railyard_partition_cuts_unfinished: {
    help: 'Partitions that take no id beyond an end which a cut was to give them',
    labels: [],
  },
  railyard_reports_due_age_seconds: { help: 'For how long the longest of them has waited', labels: [] },
} as const satisfies Record<string, { help: string; labels: readonly string[] }>
export type GaugeName = keyof typeof gauges

/** One statement. It reads at most some thousand rows, however large the tables are. */
export interface GaugeSource {
  name: string
  read(world: Pick<World, 'run' | 'db' | 'clock'>, now: Date): Promise<GaugeReading[]>
}

/** Rows are counted up to this number. */
const MAX_COUNT = 10_000

/** Seconds since a time; 0 without one. */
const age = (since: string | null | undefined, now: Date): number =>
  since ? Math.max(0, (now.getTime() - Date.parse(since)) / 1_000) : 0

/** A payment service decides these in minutes; captures and refunds may be pending for days. */
const isPendingCancellation = `status = 'pending' and (kind in ('cancel', 'void') or mark = '${CLOSING_MARK}')`

const openOperations = `
select status,
       count(*) as operations,
       min(created_at) as oldest,
       min(created_at) filter (where ${isPendingCancellation}) as oldest_cancellation,
       count(*) filter (where check_at <= $1) as due,
       min(check_at) filter (where check_at <= $1) as due_since
  from (select status, kind, mark, created_at, check_at
          from operations
         where check_at is not null
         order by check_at
         limit ${MAX_COUNT}) open
 group by status`

const recovery: GaugeSource = {
  name: 'recovery',
  async read({ run }, now) {
    const rows = await run<{
      status: string
      operations: number
      oldest: string
      oldest_cancellation: string | null
      due: number
      due_since: string | null
    }>(openOperations, [now.toISOString()])
    const cancellation = rows.find(({ status }) => status === 'pending')?.oldest_cancellation
    const dueSince = rows.flatMap(({ due_since }) => due_since ?? []).sort()[0]
    return [
      { gauge: 'railyard_operations_due', value: rows.reduce((sum, { due }) => sum + due, 0) },
      { gauge: 'railyard_operations_due_age_seconds', value: age(dueSince, now) },
      { gauge: 'railyard_cancellations_pending_age_seconds', value: age(cancellation, now) },
      ...openStatuses.flatMap((status): GaugeReading[] => {
        const row = rows.find((one) => one.status === status)
        return [
          { gauge: 'railyard_operations_open', labels: { status }, value: row?.operations ?? 0 },
          { gauge: 'railyard_operations_open_age_seconds', labels: { status }, value: age(row?.oldest, now) },
        ]
      }),
    ]
  },
}

const selectUnhealthyCircuits = `
select s.payment_service_definition_id as definition,
       c.state,
       count(*) as circuits
  from payment_service_circuits c
  join payment_services s on s.merchant_account_id = c.merchant_account_id and s.id = c.payment_service_id
 where c.state <> 'closed'
   and s.deleted_at is null
 group by 1, 2`

const circuits: GaugeSource = {
  name: 'circuits',
  async read({ run }) {
    const rows = await run<{ definition: string; state: string; circuits: number }>(
      selectUnhealthyCircuits,
      [],
    )
    return rows.map(({ definition, state, circuits }) => ({
      gauge: 'railyard_circuits',
      labels: { definition, state },
      value: circuits,
    }))
  },
}

/**
 * A transaction that has begun to write hides from readers what was committed since (migration 018). Both
 * times are the database's.
 */
const eventLog = `
select (select extract(epoch from clock_timestamp() - min(xact_start))::float8
          from pg_stat_activity
         where datname = current_database()
           and backend_xid is not null) as held,
       (select max(newest.created_at)
          from account_shards a (id),
               lateral (select created_at
                          from events e
                         where e.merchant_account_id = a.id
                         order by position desc
                         limit 1) newest) as newest`

const events: GaugeSource = {
  name: 'events',
  async read({ run }, now) {
    const [row] = await run<{ held: number | null; newest: string | null }>(eventLog, [])
    return [
      { gauge: 'railyard_event_log_held_seconds', value: row?.held ?? 0 },
      ...(row?.newest
        ? [{ gauge: 'railyard_event_log_newest_age_seconds' as const, value: age(row.newest, now) }]
        : []),
    ]
  },
}

const webhooks: GaugeSource = {
  name: 'webhooks',
  async read(world, now) {
    const { resting, waiting, failed, waitingSince, unreadSince } = await webhookBacklog(world)
    return [
      { gauge: 'railyard_webhook_resting_subscriptions', value: resting },
      { gauge: 'railyard_webhook_deliveries', labels: { status: 'waiting' }, value: waiting },
      { gauge: 'railyard_webhook_deliveries', labels: { status: 'failed' }, value: failed },
      { gauge: 'railyard_webhook_delivery_age_seconds', value: age(waitingSince, now) },
      { gauge: 'railyard_webhook_lag_seconds', value: age(unreadSince, now) },
    ]
  },
}

/** The position of a seal is the first one that it does not cover. */
const unsealed = `
select count(*) as entries,
       min(created_at) as oldest
  from (select entry.created_at
          from account_shards a (id),
               lateral (select created_at
                          from audit_entries e
                         where e.merchant_account_id = a.id
                           and e.position >= coalesce((select max(position) from audit_seals s where s.merchant_account_id = a.id), 0)
                         order by position
                         limit 100) entry
         limit ${MAX_COUNT}) waiting`

const audit: GaugeSource = {
  name: 'audit',
  async read({ run }, now) {
    const [row] = await run<{ entries: number; oldest: string | null }>(unsealed, [])
    return [
      { gauge: 'railyard_audit_unsealed_entries', value: row?.entries ?? 0 },
      { gauge: 'railyard_audit_unsealed_age_seconds', value: age(row?.oldest, now) },
    ]
  },
}

const dueReports = `
select count(*) as reports,
       min(due_at) as oldest
  from (select due_at
          from report_executions
         where due_at <= $1::timestamptz
         order by due_at
         limit ${MAX_COUNT}) due`

const reports: GaugeSource = {
  name: 'reports',
  async read({ run }, now) {
    const [row] = await run<{ reports: number; oldest: string | null }>(dueReports, [now.toISOString()])
    return [
      { gauge: 'railyard_reports_due', value: row?.reports ?? 0 },
      { gauge: 'railyard_reports_due_age_seconds', value: age(row?.oldest, now) },
    ]
  },
}

const selectKept = `
select kept.reason,
       kept.rows
  from retirements,
       json_to_recordset(kept_by) as kept (reason text, rows int)
 where retired_at is null`

const retention: GaugeSource = {
  name: 'retention',
  async read({ run }) {
    const rows = await run<{ reason: string; rows: number }>(selectKept, [])
    return rows.map(({ reason, rows }) => ({
      gauge: 'railyard_retirement_kept',
      labels: { reason },
      value: rows,
    }))
  },
}

const selectUnfinishedCuts = `
select count(*) as cuts
  from pg_constraint
 where contype = 'c'
   and connamespace = current_schema()::regnamespace
   and conname ~ '${PROOF_NAMES}'`

const partitions: GaugeSource = {
  name: 'partitions',
  async read({ run }) {
    const [row] = await run<{ cuts: number }>(selectUnfinishedCuts, [])
    return [{ gauge: 'railyard_partition_cuts_unfinished', value: row?.cuts ?? 0 }]
  },
}

export const sources: readonly GaugeSource[] = [
  recovery,
  circuits,
  events,
  webhooks,
  audit,
  reports,
  retention,
  partitions,
]
