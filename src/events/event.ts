import type { Selectable } from 'kysely'
import type { EventTable } from '../database/tables/events.ts'
import type { World } from '../world.ts'
import type { Event } from './event.schema.ts'

export type EventRow = Selectable<EventTable>

/** An event as the merchant's systems see it, in a delivery and in the feed (SEMANTICS §15.2). The same each time: it is what signatures are over. */
export const showEvent = ({ settings }: Pick<World, 'settings'>, row: Omit<EventRow, 'target_id' | 'position'>): Event => ({
  type: 'event',
  id: row.id,
  name: row.name,
  merchant_account_id: row.merchant_account_id,
  svc_id: settings.instanceId,
  environment: settings.environment,
  created_at: row.created_at,
  sequence: row.sequence,
  target: row.target,
})
