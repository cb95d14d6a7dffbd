import type { Kysely } from 'kysely'
import { ApiError } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { hashPassword } from '../sign-in/password.ts'
import { withCurrentPassword } from '../sign-in/password-history.ts'
import { endSessions, hashRandomToken, newRandomToken, type OpenedSession, openSession } from '../sign-in/session.store.ts'
import { runAsUser } from '../sign-in/sign-in-audit.ts'
import { lockUser } from './lock-user.ts'
import type { UserRow } from './user.ts'
import { auditedAuthenticator, userChange } from './user-change.ts'

/** For three days: over a weekend. */
const INVITATION_LIFETIME_MS = 72 * 3_600_000

export interface Invitation {
  /** The last part of the link; kept nowhere. */
  token: string
  expiresAt: string
}

/** The link under which a person chooses a password. `db` is the transaction that holds the user's row. */
export async function createInvitation(db: Kysely<Tables>, { clock }: Pick<World, 'clock'>, userId: string): Promise<Invitation> {
  const token = newRandomToken()
  const expiresAt = new Date(clock.now() + INVITATION_LIFETIME_MS).toISOString()
  const link = { token_hash: hashRandomToken(token), expires_at: expiresAt }
  await db
    .insertInto('user_invitations')
    .values({ user_id: userId, ...link })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(link))
    .execute()
  return { token, expiresAt }
}

export const invitationUrl = (publicUrl: string, { token }: Invitation): string => `${publicUrl}/invitations/${token}`

/** Who is invited by this link; undefined where it is unknown, used or too old. */
export const findInvitedUser = ({ db, clock }: Pick<World, 'db' | 'clock'>, token: string): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', (where) =>
      where.selectFrom('user_invitations').select('user_id').where('token_hash', '=', hashRandomToken(token)).where('expires_at', '>', timeOf(clock)),
    )
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

export interface AcceptedInvitation {
  row: UserRow
  session: OpenedSession
}

/**
 * The link is used once: the statement that deletes it decides. The password of before, the second factor and every other session end with it, since it is also the way back for somebody who has lost them.
 * Undefined where the link is good no more. The rules of the password have been checked.
 */
export async function acceptInvitation(
  world: World,
  invited: UserRow,
  { token, name, password }: { token: string; name?: string | undefined; password: string },
): Promise<AcceptedInvitation | undefined> {
  const hash = await hashPassword(password)
  // the person acts, who was nobody when the request came
  const accepted = await runAsUser({ ...invited, name: name ?? invited.name }, () =>
    world.db.transaction().execute(async (db) => {
      const link = await db
        .deleteFrom('user_invitations')
        .where('token_hash', '=', hashRandomToken(token))
        .where('expires_at', '>', timeOf(world.clock))
        .returning('user_id')
        .executeTakeFirst()
      if (!link) return undefined
      const before = await lockUser(db, link.user_id)
      if (!before) return undefined
      const row = await db
        .updateTable('users')
        .set({
          ...(name !== undefined && { name }),
          status: 'active',
          password_hash: hash,
          former_password_hashes: withCurrentPassword(),
          last_signed_in_at: timeOf(world.clock),
          totp_secret: null,
          totp_candidate: null,
          failed_attempts: 0,
          locked_until: null,
          updated_at: timeOf(world.clock),
        })
        .where('id', '=', link.user_id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await endSessions(db, row.id)
      await recordChange(
        db,
        world,
        userChange(row, auditedSignInValues(before), { ...auditedSignInValues(row), password: before.password_hash === null ? 'set' : 'changed' }),
      )
      return { row, session: await openSession(db, world, row.id) }
    }),
  )
  world.changes.invalidate('users')
  return accepted
}

const auditedSignInValues = (row: UserRow) => ({ name: row.name, status: row.status, ...auditedAuthenticator(row) })

/** 401: unknown, used or too old; which of them is not told. */
export const invitationRefused = () =>
  new ApiError(401, 'unauthorized', 'The invitation is unknown, has been used or has expired', { reason: 'no such invitation' })
