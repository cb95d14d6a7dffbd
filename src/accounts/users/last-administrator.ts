import { type Kysely, sql } from 'kysely'
import { badRequest } from '../../api/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { idleCutoff } from './idle-users.ts'

/**
 * Throws 400 if no active administrator without a limit to merchant accounts would be left: nothing could
 * appoint another one. Call it after the change, in the database transaction that removes, demotes or limits
 * an administrator. Disabled people do not count. The advisory lock makes such transactions wait for each
 * other, so that two administrators cannot remove each other at the same time.
 */
export async function refuseLosingLastAdministrator(
  db: Kysely<Tables>,
  { clock }: Pick<World, 'clock'>,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('railyard administrators', 0))`.execute(db)
  const keyPair = await db
    .selectFrom('api_key_pairs')
    .select('id')
    .where('active', '=', true)
    .where('deleted_at', 'is', null)
    .where('merchant_account_ids', '=', sql<string[]>`'{}'`)
    .where(sql<boolean>`'administrator' = any(role_ids)`)
    .limit(1)
    .executeTakeFirst()
  if (keyPair) return
  const person = await db
    .selectFrom('users')
    .select('id')
    .where('status', '=', 'active')
    .where((where) =>
      where.or([
        where('last_signed_in_at', 'is', null),
        where('last_signed_in_at', '>=', idleCutoff(clock.now())),
      ]),
    )
    .where('merchant_account_ids', '=', sql<string[]>`'{}'`)
    .where(sql<boolean>`'administrator' = any(role_ids)`)
    .limit(1)
    .executeTakeFirst()
  if (!person)
    throw badRequest(
      'This is the last active administrator without a limit to merchant accounts; make another one first',
    )
}
