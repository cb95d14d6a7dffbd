import type { Kysely } from 'kysely'
import { ApiError } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { deletePasskeys } from '../passkeys/passkey.store.ts'
import { hashPassword } from '../sign-in/password.ts'
import { withCurrentPassword } from '../sign-in/password-history.ts'
import {
  endSessions,
  hashRandomToken,
  newRandomToken,
  type OpenedSession,
  openSession,
} from '../sign-in/session.store.ts'
import { runAsUser } from '../sign-in/sign-in-audit.ts'
import { lockUser } from './lock-user.ts'
import type { UserRow } from './user.ts'
import { auditedAuthenticator, userChange } from './user-change.ts'

/** Three days, so that an invitation sent on a Friday can be accepted on Monday. */
const INVITATION_LIFETIME_MS = 72 * 3_600_000

export interface Invitation {
  /** The last part of the link. The database has its hash only. */
  token: string
  expiresAt: string
}

/**
 * Makes the link under which a person chooses a password; it replaces an earlier one. `db` is the database
 * transaction that holds the user's row.
 */
export async function createInvitation(
  db: Kysely<Tables>,
  { clock }: Pick<World, 'clock'>,
  userId: string,
): Promise<Invitation> {
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

/** Makes a person's link useless, if there is one. `db` holds the user's row. */
export const deleteInvitation = async (db: Kysely<Tables>, userId: string): Promise<void> =>
  void (await db.deleteFrom('user_invitations').where('user_id', '=', userId).execute())

export const invitationUrl = (publicUrl: string, { token }: Invitation): string =>
  `${publicUrl}/invitations/${token}`

/** The person whom this link invites; undefined if the link is unknown, used or expired. */
export const findInvitedUser = (
  { db, clock }: Pick<World, 'db' | 'clock'>,
  token: string,
): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', (where) =>
      where
        .selectFrom('user_invitations')
        .select('user_id')
        .where('token_hash', '=', hashRandomToken(token))
        .where('expires_at', '>', timeOf(clock)),
    )
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

export interface AcceptedInvitation {
  row: UserRow
  session: OpenedSession
}

/**
 * Sets the password and opens a session. The statement that deletes the link decides, so that a link is used
 * once. The earlier password, the authenticator app, the passkeys and every other session end: the link is also the way
 * back for a person who has lost them. Undefined if the link is unknown, used or expired. The caller has
 * checked the rules for passwords.
 */
export async function acceptInvitation(
  world: World,
  invited: UserRow,
  { token, name, password }: { token: string; name?: string | undefined; password: string },
): Promise<AcceptedInvitation | undefined> {
  const hash = await hashPassword(password)
  // the request came without a session: from here on the invited person is its actor
  const accepted = await runAsUser({ ...invited, name: name ?? invited.name }, () =>
    world.db.transaction().execute(async (db) => {
      const before = await lockUser(db, invited.id)
      if (!before) return undefined
      const link = await db
        .deleteFrom('user_invitations')
        .where('user_id', '=', before.id)
        .where('token_hash', '=', hashRandomToken(token))
        .where('expires_at', '>', timeOf(world.clock))
        .returning('user_id')
        .executeTakeFirst()
      if (!link) return undefined
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
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await endSessions(db, row.id)
      await deletePasskeys(db, row.id)
      await recordChange(
        db,
        world,
        userChange(row, auditedSignInValues(before), {
          ...auditedSignInValues(row),
          password: before.password_hash === null ? 'set' : 'changed',
        }),
      )
      return { row, session: await openSession(db, world, row.id, 'invitation') }
    }),
  )
  world.changes.invalidate('users')
  return accepted
}

const auditedSignInValues = (row: UserRow) => ({
  name: row.name,
  status: row.status,
  ...auditedAuthenticator(row),
})

/** 401 for a link that is unknown, used or expired; the answer does not say which. */
export const invitationRefused = () =>
  new ApiError(401, 'unauthorized', 'The invitation is unknown, has been used or has expired', {
    reason: 'no such invitation',
  })
