import { type Kysely, sql } from 'kysely'
import { badRequest } from '../../api/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { idleCutoff } from './idle-users.ts'

/**
 * To be called in the database transaction that takes an administrator away, after the change: throws 400 where nobody would be left who may do everything, since nobody
 * could give that back. People who are disabled are not counted. One such transaction waits for the other, so that two cannot each rely on what the other takes away.
 */
export async function refuseLosingLastAdministrator(db: Kysely<Tables>, { clock }: Pick<World, 'clock'>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('railyard administrators', 0))`.execute(db)
  const key = await db
    .selectFrom('api_key_pairs')
    .select('id')
    .where('active', '=', true)
    .where('deleted_at', 'is', null)
    .where('merchant_account_ids', '=', sql<string[]>`'{}'`)
    .where(sql<boolean>`'administrator' = any(role_ids)`)
    .limit(1)
    .executeTakeFirst()
  if (key) return
  const person = await db
    .selectFrom('users')
    .select('id')
    .where('status', '=', 'active')
    .where((where) => where.or([where('last_signed_in_at', 'is', null), where('last_signed_in_at', '>=', idleCutoff(clock.now()))]))
    .where('merchant_account_ids', '=', sql<string[]>`'{}'`)
    .where(sql<boolean>`'administrator' = any(role_ids)`)
    .limit(1)
    .executeTakeFirst()
  if (!person) throw badRequest('This is the last active administrator without a limit to merchant accounts; make another one first')
}
