import { type Kysely, sql } from 'kysely'
import type { Actor } from '../api/auth/caller.ts'
import { COMMAND_LINE_USER_ID } from '../base/command-line-user.ts'
import type { Tables } from '../database/tables.ts'

type AnyCaller = Pick<Actor, 'type' | 'id'>

/**
 * Whether one person can act as both callers: one of them has made the other, or a third one has made both. The
 * makers of a key pair are those that have created or changed it at any time: they may have its private key.
 * The makers of a person are those that have invited or changed them since `since` (ISO 8601) without an approved
 * proposal: they may have the link of the invitation, and chose the roles. Their makers are makers, too; the command
 * line is none. The audit log knows.
 */
export async function haveCommonMaker(
  world: { db: Kysely<Tables> },
  one: AnyCaller,
  other: AnyCaller,
  since: string,
): Promise<boolean> {
  const makers = await withMakers(world, one, since)
  return [...(await withMakers(world, other, since))].some((maker) => makers.has(maker))
}

/**
 * Whether `maker` is the caller, or has made or changed the key pair that the caller is, or a key pair that has made
 * it. People are made by nobody here: a caller with a spending limit invites nobody.
 */
export const isMadeBy = async (
  world: { db: Kysely<Tables> },
  caller: AnyCaller,
  maker: AnyCaller,
): Promise<boolean> => (await withMakers(world, caller, null)).has(maker.id)

/**
 * The ids of the caller, of its makers, of their makers, and so on: one statement for each generation, of which there
 * are few. `since`: only entries about people from then on count; null: none does.
 */
async function withMakers(
  { db }: { db: Kysely<Tables> },
  caller: AnyCaller,
  since: string | null,
): Promise<Set<string>> {
  const found = new Set([caller.id])
  for (let generation = [caller]; generation.length > 0; ) {
    const idsOf = (type: AnyCaller['type']) =>
      generation.filter((each) => each.type === type).map(({ id }) => id)
    const { rows: makers } = await sql<AnyCaller>`
      select distinct actor_type as type, actor_id as id
        from audit_entries
       where resource_type in ('api-key-pair', 'user', 'role-assignment')
         and (resource_id = any(${idsOf('api-key-pair')}::text[])
              or (resource_id = any(${since === null ? [] : idsOf('user')}::text[])
                  and proposal_id is null
                  and created_at >= ${since}::timestamptz))
         and actor_id <> ${COMMAND_LINE_USER_ID}::uuid`.execute(db)
    generation = makers.filter(({ id }) => !found.has(id))
    for (const { id } of generation) found.add(id)
  }
  return found
}
