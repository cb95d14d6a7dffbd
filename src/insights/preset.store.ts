import type { Kysely, Selectable } from 'kysely'
import { timeOf } from '../base/clock.ts'
import { type AuditAction, type AuditedChange, changeWithAudit } from '../database/logs/audit-log.ts'
import type { InsightPresetTable } from '../database/tables/insights.ts'
import type { Tables } from '../database/tables.ts'
import { timestamp } from '../database/timestamp.ts'
import type { World } from '../world.ts'
import type {
  MetricsExplorerPreset,
  MetricsExplorerPresetCreate,
  MetricsExplorerSource,
} from './explorer.schema.ts'

type PresetRow = Selectable<InsightPresetTable>

/** The account and source to which a preset belongs. */
interface PresetScope {
  account: string
  source: MetricsExplorerSource
}

/** Newest first. */
export const listPresets = (
  { db }: Pick<World, 'db'>,
  { account, source }: PresetScope,
): Promise<PresetRow[]> =>
  db
    .selectFrom('insight_presets')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('source', '=', source)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

export async function insertPreset(
  world: World,
  { account, source }: PresetScope,
  { display_name, metric, filters }: MetricsExplorerPresetCreate,
): Promise<PresetRow> {
  const now = timeOf(world.clock)
  const setFilters = Object.fromEntries(Object.entries(filters).filter(([, values]) => values !== null))
  return changeWithAudit(
    world,
    (db) =>
      db
        .insertInto('insight_presets')
        .values({
          merchant_account_id: account,
          id: world.ids.next(),
          source,
          display_name,
          metric,
          filters: JSON.stringify(setFilters),
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    entry('created'),
  )
}

/** Undefined: there is no such preset. */
export async function renamePreset(
  world: World,
  scope: PresetScope,
  id: string,
  display_name: string,
): Promise<PresetRow | undefined> {
  const renamed = await changeWithAudit(
    world,
    (db) =>
      db
        .updateTable('insight_presets')
        .set({ display_name, updated_at: timeOf(world.clock) })
        .where('merchant_account_id', '=', scope.account)
        .where('source', '=', scope.source)
        .where('id', '=', id)
        .where('display_name', '!=', display_name)
        .returningAll()
        .executeTakeFirst(),
    entry('updated'),
  )
  // the preset has this name already, or there is none
  return renamed ?? findPreset(world, scope, id)
}

const findPreset = (
  { db }: Pick<World, 'db'>,
  { account, source }: PresetScope,
  id: string,
): Promise<PresetRow | undefined> =>
  db
    .selectFrom('insight_presets')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('source', '=', source)
    .where('id', '=', id)
    .executeTakeFirst()

/** Undefined: there is no such preset. */
export const deletePreset = (world: World, scope: PresetScope, id: string): Promise<PresetRow | undefined> =>
  changeWithAudit(
    world,
    (db: Kysely<Tables>) =>
      db
        .deleteFrom('insight_presets')
        .where('merchant_account_id', '=', scope.account)
        .where('source', '=', scope.source)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    entry('deleted'),
  )

const entry =
  (action: AuditAction) =>
  ({ merchant_account_id, id, display_name }: PresetRow): AuditedChange => ({
    account: merchant_account_id,
    action,
    resource: { type: 'metrics-explorer.preset', id, name: display_name },
  })

export const showPreset = (row: PresetRow): MetricsExplorerPreset => ({
  type: 'metrics-explorer.preset',
  ...row,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
