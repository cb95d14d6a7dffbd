import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { UserRow } from './user.ts'

/**
 * Locks a person's row until the database transaction ends. Undefined: there is no such person, or they were
 * deleted.
 */
export const lockUser = (db: Kysely<Tables>, id: string): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
