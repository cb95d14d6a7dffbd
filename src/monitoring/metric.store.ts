import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Actor } from '../api/auth/caller.ts'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import { containing } from '../database/like-pattern.ts'
import { type AuditAction, type AuditedChange, recordChange } from '../database/logs/audit-log.ts'
import { newestFirst } from '../database/rows/newest-first.ts'
import { writeChanges } from '../database/rows/write-changes.ts'
import type { AuthRateSpec } from '../database/tables/monitoring.ts'
import type { Tables } from '../database/tables.ts'
import type { World } from '../world.ts'
import { freshStreak } from './debounce.ts'
import { closeIncident, detachIncidents, openIncidentOf } from './incident.store.ts'
import { type MetricRow, type MetricSettings, minuteAfter } from './metric.ts'

const selectNotDeleted = (db: Kysely<Tables>, account: string) =>
  db
    .selectFrom('monitoring_metrics')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('deleted_at', 'is', null)

/** Undefined: the account has no such metric. */
export const findMetric = (
  world: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<MetricRow | undefined> =>
  selectNotDeleted(world.db, account).where('id', '=', id).executeTakeFirst()

/** The newest first. `search`: a part of the name in any case; null: all metrics. */
export function listMetrics(
  world: Pick<World, 'db'>,
  account: string,
  search: string | null,
  page: PageRequest,
): Promise<MetricRow[]> {
  const pattern = search && containing(search)
  return selectNotDeleted(world.db, account)
    .$if(search !== null, (query) => query.where('display_name', 'ilike', pattern))
    .$call(newestFirst(page))
    .execute()
}

/** Creates a metric. Its first sample is due with the next minute. */
export function insertMetric(
  world: World,
  account: string,
  creator: Actor,
  spec: AuthRateSpec,
  settings: MetricSettings,
): Promise<MetricRow> {
  const now = timeOf(world.clock)
  return world.db.transaction().execute(async (db) => {
    const row = await db
      .insertInto('monitoring_metrics')
      .values({
        merchant_account_id: account,
        id: world.ids.next(),
        ...toColumns(settings),
        spec: JSON.stringify(spec),
        alerting_policy_updated_at: settings.alerting_policy && now,
        incident_policy_updated_at: settings.incident_policy && now,
        creator_type: creator.type === 'user' ? 'user' : 'private_key',
        creator_id: creator.id,
        creator_display_name: creator.name,
        next_sample_at: minuteAfter(world.clock.now()),
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    await recordChange(db, world, entry('created', row))
    return row
  })
}

/**
 * Changes a metric. Undefined: the account has no such metric. After a change of a policy samples in a row
 * are counted from 0. An open incident continues under the new policy; without an incident policy it is
 * closed, since nothing else would close it.
 */
export const updateMetric = (
  world: World,
  account: string,
  id: string,
  settings: MetricSettings,
): Promise<MetricRow | undefined> =>
  changeMetric(world, account, id, 'updated', async (db, row, now) => {
    const isNewAlerting = !isDeepStrictEqual(settings.alerting_policy, row.alerting_policy)
    const isNewIncident = !isDeepStrictEqual(settings.incident_policy, row.incident_policy)
    const open = settings.incident_policy === null ? await openIncidentOf(db, row) : undefined
    if (open) await closeIncident(db, world, account, open.id)
    return {
      ...toColumns(settings),
      ...((isNewAlerting || isNewIncident) && freshStreak),
      ...(isNewAlerting && { alerting_policy_updated_at: now }),
      ...(isNewIncident && { incident_policy_updated_at: now }),
    }
  })

/**
 * Deletes a metric. False: the account has no such metric. Its samples are erased later; its incidents stay,
 * and an open one is closed.
 */
export async function deleteMetric(world: World, account: string, id: string): Promise<boolean> {
  const row = await changeMetric(world, account, id, 'deleted', async (db, row, now) => {
    await detachIncidents(db, world, row)
    return { deleted_at: now }
  })
  return row !== undefined
}

type Columns = Partial<ReturnType<typeof toColumns>> &
  Partial<
    Pick<MetricRow, 'streak' | 'deleted_at' | 'alerting_policy_updated_at' | 'incident_policy_updated_at'>
  >

/**
 * Locks a metric's row, changes it, and records the change in the audit log. Undefined: the account has no
 * such metric.
 */
function changeMetric(
  world: World,
  account: string,
  id: string,
  action: AuditAction,
  columns: (db: Kysely<Tables>, row: MetricRow, now: string) => Promise<Columns>,
): Promise<MetricRow | undefined> {
  return world.db.transaction().execute(async (db) => {
    const current = await selectNotDeleted(db, account).where('id', '=', id).forUpdate().executeTakeFirst()
    if (!current) return undefined
    const now = timeOf(world.clock)
    const next = await columns(db, current, now)
    const changed = await writeChanges(db, 'monitoring_metrics', current, next, now)
    if (changed) await recordChange(db, world, entry(action, changed))
    return changed ?? current
  })
}

const toColumns = ({ display_name, alerting_policy, incident_policy }: MetricSettings) => ({
  display_name,
  alerting_policy: alerting_policy && JSON.stringify(alerting_policy),
  incident_policy: incident_policy && JSON.stringify(incident_policy),
})

const entry = (action: AuditAction, { merchant_account_id, id, display_name }: MetricRow): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'monitoring.metric', id, name: display_name },
})
