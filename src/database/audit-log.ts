import type { Kysely } from 'kysely'
import { currentRequest } from '../api/request-context.ts'
import { timeOf, type World } from '../world.ts'
import type { Tables } from './tables.ts'

export type AuditAction = 'created' | 'updated' | 'deleted' | 'voided' | 'canceled' | 'captured'

/** What was changed (SEMANTICS §16.4). */
export interface AuditedChange {
  /** The merchant account; `default` for what belongs to the whole instance. */
  account: string
  action: AuditAction
  resource: { type: string; id: string; name: string | null }
}

/**
 * Writes into the audit log who changed what. `db` is the database transaction of the change itself, so that there is never one without the other. What
 * a job does by itself is nobody's change, and nothing is written.
 */
export async function recordChange(db: Kysely<Tables>, { clock, ids }: Pick<World, 'clock' | 'ids'>, change: AuditedChange): Promise<void> {
  const actor = currentRequest()?.actor
  if (!actor) return
  await db
    .insertInto('audit_entries')
    .values({
      merchant_account_id: change.account,
      id: ids.next(),
      action: change.action,
      resource_type: change.resource.type,
      resource_id: change.resource.id,
      resource_name: change.resource.name,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: actor.name,
      actor_email_address: actor.emailAddress,
      created_at: timeOf(clock),
    })
    .execute()
}
