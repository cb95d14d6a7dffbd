import { sql } from 'kysely'
import type { World } from '../../world.ts'
import type { ProposalRow } from './proposal.row.ts'

/**
 * Whether this person has made the proposal: themselves, or through a key pair that they have created or
 * changed, or that such a key pair has created or changed. The audit log knows.
 */
export async function isOwnProposal(
  { db }: Pick<World, 'db'>,
  { requester_type, requester_id }: Pick<ProposalRow, 'requester_type' | 'requester_id'>,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    with recursive makers (type, id) as (
      select ${requester_type}::text, ${requester_id}::uuid
       union
      select e.actor_type, e.actor_id
        from makers m
        join audit_entries e
          on m.type = 'api-key-pair'
         and e.resource_type = 'api-key-pair'
         and e.resource_id = m.id::text
    )
    select exists (select from makers where type = 'user' and id = ${userId}::uuid) as own`.execute(db)
  return rows[0]?.own ?? true
}
