import { type Kysely, sql } from 'kysely'
import { currentRequest } from '../../api/request/request-context.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import type { AuditedValues } from '../tables/accounts.ts'
import type { Tables } from '../tables.ts'

export type AuditAction = 'created' | 'updated' | 'deleted' | 'voided' | 'canceled' | 'captured'

/** A change, for the audit log (semantics §16.4). */
export interface AuditedChange {
  /** The merchant account; `default` for resources of the whole instance. */
  account: string
  action: AuditAction
  resource: { type: string; id: string; name: string | null }
  /** Values before and after, never a secret. Absent if the entry says enough without them. */
  changes?: AuditedValues
}

/** The entry of a change by the actor of the current request; undefined: background work made the change. */
function newEntry(
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  { action, resource }: Pick<AuditedChange, 'action' | 'resource'>,
) {
  const { actor, proposal } = currentRequest() ?? {}
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
      ...(proposal && {
        proposal_account: proposal.account,
        proposal_id: proposal.id,
        proposal_attempt: proposal.attempt,
      }),
    }
  )
}

/**
 * Writes a change and its actor to the audit log. `db` is the database transaction of the change itself, so
 * that they commit together. Changes by background work have no actor and are not written. A change of a
 * proposal that another process has taken over is refused (`fence_proposal`).
 */
export async function recordChange(
  db: Kysely<Tables>,
  world: Pick<World, 'clock' | 'ids'>,
  change: AuditedChange,
): Promise<void> {
  const written = newEntry(world, change)
  if (!written) return
  const { proposal_account = null, proposal_id = null, proposal_attempt = null, ...entry } = written
  await db
    .insertInto('audit_entries')
    .values({
      merchant_account_id: change.account,
      ...entry,
      changes: change.changes ?? null,
      proposal_id: sql<
        string | null
      >`fence_proposal(${proposal_account}::text, ${proposal_id}::uuid, ${proposal_attempt}::int)`,
    })
    .execute()
}

/**
 * Makes a change of one statement and commits it with its entry, which `entry` builds from the result of the
 * change. Returns the result; undefined: there was nothing to change. `world.db` may be a database
 * transaction already.
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

/**
 * The JSON parameter of `auditEntrySql`, for statements that write the entries themselves; null if background
 * work makes the change.
 */
export function auditEntry(
  world: Pick<World, 'clock' | 'ids'>,
  ...changes: Omit<AuditedChange, 'account' | 'changes'>[]
): string | null {
  const entries = changes.flatMap((change) => newEntry(world, change) ?? [])
  return entries.length > 0 ? JSON.stringify(entries) : null
}

/**
 * The part of a hand-written statement that writes an `auditEntry`, the parameter, for each row of `rows`,
 * with that row's account. The options are SQL expressions for several rows: `id` of each one's resource, and
 * `entry`, the id of each one's entry.
 */
export const auditEntrySql = (
  rows: string,
  parameter: string,
  { id = 'entry.resource_id', entry = 'entry.id' } = {},
) => `
  insert into audit_entries (merchant_account_id, id, action, resource_type, resource_id, resource_name, actor_type, actor_id, actor_name, actor_email_address, created_at, proposal_id)
  select ${rows}.merchant_account_id, ${entry}, entry.action, entry.resource_type, ${id}, entry.resource_name,
         entry.actor_type, entry.actor_id, entry.actor_name, entry.actor_email_address, entry.created_at,
         fence_proposal(entry.proposal_account, entry.proposal_id, entry.proposal_attempt)
    from ${rows}, jsonb_to_recordset(${parameter}::jsonb) entry (id uuid, action text, resource_type text, resource_id text, resource_name text,
         actor_type text, actor_id uuid, actor_name text, actor_email_address text, created_at timestamptz,
         proposal_account text, proposal_id uuid, proposal_attempt int)`
