import { type Kysely, sql } from 'kysely'
import type { Actor } from '../api/auth/caller.ts'
import { COMMAND_LINE_USER_ID } from '../base/command-line-user.ts'
import type { Tables } from '../database/tables.ts'

type AnyCaller = Pick<Actor, 'type' | 'id'>

/**
 * Whether one person can act as both callers: one of them has made the other, or somebody has made both. The
 * makers of a key pair are those that have created or changed it at any time: they may have its private key.
 * The makers of a person are those that have invited or changed them since `since` (ISO 8601) without an approved
 * proposal: they may have the link of the invitation, and chose the roles. Their makers are makers, too; the command
 * line is none. The audit log knows.
 */
export async function haveCommonMaker(
  { db }: { db: Kysely<Tables> },
  one: AnyCaller,
  other: AnyCaller,
  since: string,
): Promise<boolean> {
  const { rows } = await sql<{ common: boolean }>`
    with recursive makers (side, type, id) as (
      values (1, ${one.type}::text, ${one.id}::uuid),
             (2, ${other.type}::text, ${other.id}::uuid)
       union
      select m.side, e.actor_type, e.actor_id
        from makers m
        join audit_entries e
          on e.resource_type in ('api-key-pair', 'user', 'role-assignment')
         and e.resource_type in (m.type, 'role-assignment')
         and e.resource_id = m.id::text
         and e.actor_id <> ${COMMAND_LINE_USER_ID}::uuid
         and (m.type = 'api-key-pair'
              or (e.proposal_id is null and e.created_at >= ${since}::timestamptz))
    )
    select exists (
      select from makers a
        join makers b on a.side = 1 and b.side = 2 and a.type = b.type and a.id = b.id
    ) as common`.execute(db)
  return rows[0]?.common ?? true
}

/**
 * Whether `maker` is the caller, or has made or changed the key pair that the caller is, or a key pair that has made
 * it. People are made by nobody here: a caller with a spending limit invites nobody.
 */
export async function isMadeBy(
  { db }: { db: Kysely<Tables> },
  caller: AnyCaller,
  maker: AnyCaller,
): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`
    with recursive makers (type, id) as (
      values (${caller.type}::text, ${caller.id}::uuid)
       union
      select e.actor_type, e.actor_id
        from makers m
        join audit_entries e
          on e.resource_type in ('api-key-pair', 'user', 'role-assignment')
         and m.type = 'api-key-pair'
         and e.resource_id = m.id::text
    )
    select exists (select from makers where type = ${maker.type} and id = ${maker.id}::uuid) as made`.execute(
    db,
  )
  return rows[0]?.made ?? true
}
