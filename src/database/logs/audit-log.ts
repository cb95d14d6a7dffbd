import type { Kysely } from 'kysely'
import { currentRequest } from '../../api/request/request-context.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import type { AuditedValues } from '../tables/accounts.ts'
import type { Tables } from '../tables.ts'

export type AuditAction = 'created' | 'updated' | 'deleted' | 'voided' | 'canceled' | 'captured'

/** What was changed (SEMANTICS §16.4). */
export interface AuditedChange {
  /** The merchant account; `default` for what belongs to the whole instance. */
  account: string
  action: AuditAction
  resource: { type: string; id: string; name: string | null }
  /** What it was and what it became: never a secret. Left out where the entry says enough. */
  changes?: AuditedValues
}

/** What is written of a change by the one who makes it; undefined: nobody asked, a job did. */
function newEntry({ clock, ids }: Pick<World, 'clock' | 'ids'>, { action, resource }: Pick<AuditedChange, 'action' | 'resource'>) {
  const actor = currentRequest()?.actor
  return (
    actor && {
      id: ids.next(),
      action,
      resource_type: resource.type,
      resource_id: resource.id,
      resource_name: resource.name,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: actor.name,
      actor_email_address: actor.emailAddress,
      created_at: timeOf(clock),
    }
  )
}

/**
 * Writes into the audit log who changed what. `db` is the database transaction of the change itself, so that there is never one without the other. What
 * a job does by itself is nobody's change, and nothing is written.
 */
export async function recordChange(db: Kysely<Tables>, world: Pick<World, 'clock' | 'ids'>, change: AuditedChange): Promise<void> {
  const entry = newEntry(world, change)
  if (entry)
    await db
      .insertInto('audit_entries')
      .values({ merchant_account_id: change.account, ...entry, changes: change.changes ?? null })
      .execute()
}

/**
 * Makes a change of one statement in one commit with its entry, which `entry` words from what the change answered; undefined: there was nothing to change.
 * `world.db` may be a database transaction already.
 */
export async function changeWithAudit<Changed>(
  world: Pick<World, 'db' | 'clock' | 'ids'>,
  change: (db: Kysely<Tables>) => Promise<Changed>,
  entry: (changed: NonNullable<Changed>) => AuditedChange,
): Promise<Changed> {
  const both = async (db: Kysely<Tables>) => {
    const changed = await change(db)
    if (changed !== undefined && changed !== null) await recordChange(db, world, entry(changed))
    return changed
  }
  return world.db.isTransaction ? both(world.db) : world.db.transaction().execute(both)
}

/** For statements that write the entries themselves, as `auditEntrySql` takes it: JSON, or null where nobody asked. */
export function auditEntry(world: Pick<World, 'clock' | 'ids'>, ...changes: Omit<AuditedChange, 'account' | 'changes'>[]): string | null {
  const entries = changes.flatMap((change) => newEntry(world, change) ?? [])
  return entries.length > 0 ? JSON.stringify(entries) : null
}

/**
 * The part of a hand-written statement that writes an entry: the parameter is an `auditEntry`, written for each row of `rows`, whose account it takes. `name` is for an
 * entry without one; where it is written for several rows, `id` says which resource each is about, and `entry` is an id of its own; `changes` is a correction's values: expressions.
 */
export const auditEntrySql = (
  rows: string,
  parameter: string,
  { name = 'null', id = 'entry.resource_id', entry = 'entry.id', changes = '' } = {},
) => `
  insert into audit_entries (merchant_account_id, id, action, resource_type, resource_id, resource_name, actor_type, actor_id, actor_name, actor_email_address, created_at${changes && ', changes'})
  select ${rows}.merchant_account_id, ${entry}, entry.action, entry.resource_type, ${id}, coalesce(entry.resource_name, ${name}),
         entry.actor_type, entry.actor_id, entry.actor_name, entry.actor_email_address, entry.created_at${changes && `, ${changes}`}
    from ${rows}, jsonb_to_recordset(${parameter}::jsonb) entry (id uuid, action text, resource_type text, resource_id text, resource_name text,
         actor_type text, actor_id uuid, actor_name text, actor_email_address text, created_at timestamptz)`
