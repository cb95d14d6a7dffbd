import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Actor } from '../api/auth/caller.ts'
import type { PageRequest } from '../api/pagination.ts'
import { timeOf } from '../base/clock.ts'
import { type AuditAction, type AuditedChange, recordChange } from '../database/logs/audit-log.ts'
import { newestFirst } from '../database/newest-first.ts'
import type { AuthRateSpec } from '../database/tables/monitoring.ts'
import type { Tables } from '../database/tables.ts'
import { writeChanges } from '../database/write-changes.ts'
import type { World } from '../world.ts'
import { freshStreak } from './debounce.ts'
import { closeIncident, detachIncidents, openIncidentOf } from './incident.store.ts'
import { type MetricRow, type MetricSettings, minuteAfter } from './metric.ts'

const selectNotDeleted = (db: Kysely<Tables>, account: string) =>
  db.selectFrom('monitoring_metrics').selectAll().where('merchant_account_id', '=', account).where('deleted_at', 'is', null)

/** Undefined: there is none. */
export const findMetric = (world: Pick<World, 'db'>, account: string, id: string): Promise<MetricRow | undefined> =>
  selectNotDeleted(world.db, account).where('id', '=', id).executeTakeFirst()

/** Newest first. `search`: part of the name, in capitals or not; null: all. */
export function listMetrics(world: Pick<World, 'db'>, account: string, search: string | null, page: PageRequest): Promise<MetricRow[]> {
  const pattern = search && `%${search.replace(/[\\%_]/g, '\\$&')}%`
  return selectNotDeleted(world.db, account)
    .$if(search !== null, (query) => query.where('display_name', 'ilike', pattern))
    .$call(newestFirst(page))
    .execute()
}

/** Its first sample is taken with the next minute. */
export function insertMetric(world: World, account: string, creator: Actor, spec: AuthRateSpec, settings: MetricSettings): Promise<MetricRow> {
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
 * Undefined: there is none. Where a policy is another from now on, samples in a row are counted anew; an incident that is open goes on with it, or is closed where
 * nothing would ever close it.
 */
export const updateMetric = (world: World, account: string, id: string, settings: MetricSettings): Promise<MetricRow | undefined> =>
  changeMetric(world, account, id, 'updated', async (db, row, now) => {
    const alerts = !isDeepStrictEqual(settings.alerting_policy, row.alerting_policy)
    const incidents = !isDeepStrictEqual(settings.incident_policy, row.incident_policy)
    const open = settings.incident_policy === null ? await openIncidentOf(db, row) : undefined
    if (open) await closeIncident(db, world, account, open.id)
    return {
      ...toColumns(settings),
      ...((alerts || incidents) && freshStreak),
      ...(alerts && { alerting_policy_updated_at: now }),
      ...(incidents && { incident_policy_updated_at: now }),
    }
  })

/** False: there is none. Its samples are erased by and by; its incidents stay, and the one that is open is closed. */
export async function deleteMetric(world: World, account: string, id: string): Promise<boolean> {
  const row = await changeMetric(world, account, id, 'deleted', async (db, row, now) => {
    await detachIncidents(db, world, row)
    return { deleted_at: now }
  })
  return row !== undefined
}

type Columns = Partial<ReturnType<typeof toColumns>> &
  Partial<Pick<MetricRow, 'streak' | 'deleted_at' | 'alerting_policy_updated_at' | 'incident_policy_updated_at'>>

/** Changes a metric under a lock of its row, and says who did. Undefined: there is none. */
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
