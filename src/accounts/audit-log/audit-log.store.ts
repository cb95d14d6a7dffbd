import { type Selectable, sql } from 'kysely'
import type { PageRequest } from '../../api/pagination.ts'
import type { AuditAction } from '../../database/logs/audit-log.ts'
import type { AuditEntryTable } from '../../database/tables/accounts.ts'
import type { World } from '../../world.ts'
import type { AuditLogEntry } from './audit-log.schema.ts'

export type AuditEntryRow = Selectable<AuditEntryTable>

export interface AuditFilter {
  action: AuditAction | null
  userId: string | null
  resourceType: string | null
}

/** A page of entries, the last committed first. */
export function listAuditEntries(
  { db }: Pick<World, 'db'>,
  account: string,
  { action, userId, resourceType }: AuditFilter,
  page: PageRequest,
) {
  const { limit, position } = page
  const backwards = position?.direction === 'previous'
  const beyond = sql<boolean>`(position, id) ${sql.raw(backwards ? '>' : '<')} (${position?.key}::bigint, ${position?.id}::uuid)`
  return db
    .selectFrom('audit_entries')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .$if(action !== null, (query) => query.where('action', '=', action ?? ''))
    .$if(userId !== null, (query) => query.where('actor_id', '=', userId ?? ''))
    .$if(resourceType !== null, (query) => query.where('resource_type', '=', resourceType ?? ''))
    .$if(position !== undefined, (query) => query.where(beyond))
    .orderBy('position', backwards ? 'asc' : 'desc')
    .orderBy('id', backwards ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute()
}

/** Where an entry stands in the list. */
export const cursorOfAuditEntry = ({ position, id }: AuditEntryRow) => ({ key: String(position), id })

/** An entry as the API shows it: a key pair is shown as a user, too (semantics §16.4). */
export const showAuditEntry = (row: AuditEntryRow): AuditLogEntry => ({
  type: 'audit-log',
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name ?? row.resource_id },
  // the column is written from `AuditAction` only
  action: row.action as AuditAction,
  user: {
    type: 'user',
    id: row.actor_id,
    name: row.actor_name,
    email_address: row.actor_email_address,
    is_staff: false,
    status: 'active',
  },
  timestamp: row.created_at,
  ...(row.changes && { changes: row.changes }),
  ...(row.proposal_id && { proposal_id: row.proposal_id }),
})
