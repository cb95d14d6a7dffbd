import type { Kysely } from 'kysely'
import { invalid } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import { wouldChange } from '../../database/rows/would-change.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { hashPassword } from '../sign-in/password.ts'
import { withCurrentPassword } from '../sign-in/password-history.ts'
import { endSessions } from '../sign-in/session.store.ts'
import { openTotpSecret, sealTotpSecret, totpStep } from '../sign-in/totp.ts'
import { deleteInvitation } from './invitation.store.ts'
import { lockUser } from './lock-user.ts'
import type { UserRow } from './user.ts'
import { auditedAuthenticator, userChange } from './user-change.ts'

interface OwnChanges {
  name?: string | undefined
  password?: NewPassword | undefined
}

/** A new password, whose rules the caller has checked. */
export interface NewPassword {
  text: string
  /** The hash of the current password that was verified. */
  verifiedHash: string | null
}

/**
 * Changes the person's own name or password; a new password ends every other session than `session`, and a link that
 * is not used yet. Undefined: the person was deleted, the session has ended, or the password was changed meanwhile.
 */
export async function updateOwnUser(
  world: World,
  id: string,
  { name, password }: OwnChanges,
  session: string,
): Promise<UserRow | undefined> {
  const hash = password === undefined ? undefined : await hashPassword(password.text)
  const row = await world.db.transaction().execute(async (db) => {
    const current = await lockUser(db, id)
    if (current?.status !== 'active') return undefined
    if (password && !(await isStillProven(db, current, password.verifiedHash, session))) return undefined
    const columns = {
      ...(name !== undefined && { name }),
      ...(hash !== undefined && { password_hash: hash }),
    }
    if (!wouldChange(current, columns)) return current
    const row = await db
      .updateTable('users')
      .set({
        ...columns,
        ...(hash !== undefined && { former_password_hashes: withCurrentPassword() }),
        updated_at: timeOf(world.clock),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    if (hash !== undefined) {
      await deleteInvitation(db, id)
      await endSessions(db, id, session)
    }
    const secret = hash === undefined ? {} : { password: 'changed' }
    await recordChange(db, world, userChange(row, { name: current.name }, { name: row.name, ...secret }))
    return row
  })
  world.changes.invalidate('users')
  return row
}

/** Whether nothing has replaced the password, or ended the session, since the current password was verified. */
async function isStillProven(
  db: Kysely<Tables>,
  { password_hash }: UserRow,
  verifiedHash: string | null,
  session: string,
): Promise<boolean> {
  const own = db.selectFrom('user_sessions').select('id').where('id', '=', session)
  return password_hash === verifiedHash && (await own.executeTakeFirst()) !== undefined
}

/**
 * Stores a secret that a code must confirm before it counts; it replaces an earlier one. Undefined if an
 * authenticator app is in use already (the person must remove it first, which needs a code), or the person
 * was deleted.
 */
export async function proposeTotp(world: World, id: string, secret: string): Promise<UserRow | undefined> {
  const row = await world.db
    .updateTable('users')
    .set({ totp_candidate: sealTotpSecret(world, id, secret) })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .where('totp_secret', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row
}

/**
 * From now on signing in needs a code; every other session than `session` ends. Throws 400 if the code is not
 * one of the secret that was answered last.
 */
export async function confirmTotp(world: World, id: string, code: string, session: string): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const row = await lockUser(db, id)
    const secret = row?.totp_candidate && openTotpSecret(world, id, row.totp_candidate)
    const step = secret ? totpStep(secret, code, world.clock.now()) : undefined
    if (!row || step === undefined)
      throw invalid({ '/code': 'is not a code of the secret that POST /users/me/totp answered' })
    await db
      .updateTable('users')
      .set({
        totp_secret: row.totp_candidate,
        totp_candidate: null,
        last_totp_step: step,
        updated_at: timeOf(world.clock),
      })
      .where('id', '=', id)
      .execute()
    await endSessions(db, id, session)
    await recordChange(db, world, userChange(row, auditedAuthenticator(row), { authenticator_app: 'on' }))
  })
  world.changes.invalidate('users')
}

/**
 * Removes the authenticator app, after the person has proven to have it; every other session than `session`
 * ends.
 */
export async function removeTotp(world: World, id: string, session: string): Promise<void> {
  await world.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('users')
      .set({ totp_secret: null, totp_candidate: null, updated_at: timeOf(world.clock) })
      .where('id', '=', id)
      .where('status', '=', 'active')
      .returningAll()
      .executeTakeFirst()
    if (!row) return
    await endSessions(db, id, session)
    await recordChange(db, world, userChange(row, { authenticator_app: 'on' }, auditedAuthenticator(row)))
  })
  world.changes.invalidate('users')
}
