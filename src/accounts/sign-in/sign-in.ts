import { sql } from 'kysely'
import { ApiError } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import { isDisabled } from '../users/idle-users.ts'
import type { SignIn } from '../users/user.schema.ts'
import { normalizeEmailAddress, type UserRow } from '../users/user.ts'
import { hashPassword, needsRehash, verifyPassword } from './password.ts'
import { type OpenedSession, openSession } from './session.store.ts'
import { recordFailedSignIn, recordUnknownSignIn, runAsUser } from './sign-in-audit.ts'
import { openTotpSecret, totpStep } from './totp.ts'

/** So many wrong guesses in a row lock an account: for a minute, two, four, … an hour. */
const ATTEMPTS_BEFORE_LOCK = 5

/** The same to everybody: that there is no such person, who is locked, who has not accepted yet. */
const signInRefused = (reason: string) =>
  new ApiError(401, 'unauthorized', 'The email address or the password is wrong, or there were too many attempts', { reason })

/** Told only after the right password. */
const totpRequired = (userId: string) =>
  new ApiError(401, 'totp_required', 'A code of the authenticator app is needed: totp_code', {
    reason: `no code came with the password of user ${userId}`,
  })
const totpWrong = (userId: string) =>
  new ApiError(401, 'totp_invalid', 'The code is wrong, too old or has been used', { reason: `wrong code of user ${userId}` })

const userDisabled = (userId: string) =>
  new ApiError(401, 'user_disabled', 'The account is disabled after 90 days without a sign-in; a new invitation opens it again', {
    reason: `user ${userId} is disabled`,
  })

/** Who signs in, by a session of their own; throws 401. */
export async function signIn(world: World, { email_address, password, totp_code }: SignIn): Promise<{ row: UserRow; session: OpenedSession }> {
  const row = await countSignInAttempt(world, { emailAddress: normalizeEmailAddress(email_address) })
  const right = await verifyPassword(row?.password_hash ?? null, password)
  if (!row) {
    await recordUnknownSignIn(world)
    throw signInRefused('nobody who may sign in now has this address')
  }
  if (!right) {
    await recordFailedSignIn(world, row, 'wrong_password')
    throw signInRefused(`wrong password of user ${row.id}${row.locked_until ? `, locked until ${row.locked_until}` : ''}`)
  }
  if (row.totp_secret && !totp_code) {
    await uncountSignInAttempt(world, row.id)
    throw totpRequired(row.id)
  }
  if (row.totp_secret && !(await useTotpCode(world, row, totp_code ?? ''))) {
    await recordFailedSignIn(world, row, 'wrong_code')
    throw totpWrong(row.id)
  }
  if (isDisabled(row, world.clock.now())) {
    await recordFailedSignIn(world, row, 'disabled')
    throw userDisabled(row.id)
  }
  return completeSignIn(world, row, row.password_hash && needsRehash(row.password_hash) ? await hashPassword(password) : row.password_hash)
}

/** Nothing is entered with a password that was changed, or by somebody who was deleted, while it was being looked at. */
async function completeSignIn(world: World, { id, password_hash }: UserRow, hash: string | null) {
  return world.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('users')
      .set({ failed_attempts: 0, locked_until: null, password_hash: hash, last_signed_in_at: timeOf(world.clock) })
      .where('id', '=', id)
      .where('status', '=', 'active')
      .where('password_hash', '=', password_hash)
      .returningAll()
      .executeTakeFirst()
    if (!row) throw signInRefused(`the password of user ${id} was changed meanwhile`)
    return { row, session: await runAsUser(row, () => openSession(db, world, id)) }
  })
}

/**
 * Counts a guess before it is looked at, so that of a hundred at the same time five are. The statement decides: undefined where there is nobody, or nobody who may guess now.
 * Who turns out to be right starts from nothing again.
 */
export function countSignInAttempt({ db, clock }: World, who: { emailAddress: string } | { id: string }): Promise<UserRow | undefined> {
  const now = timeOf(clock)
  return db
    .updateTable('users')
    .set({
      failed_attempts: sql`failed_attempts + 1`,
      locked_until: sql`case when failed_attempts + 1 >= ${sql.lit(ATTEMPTS_BEFORE_LOCK)}
        then ${now}::timestamptz + least(60, power(2, least(failed_attempts + 1 - ${sql.lit(ATTEMPTS_BEFORE_LOCK)}, 6))) * interval '1 minute' end`,
    })
    .$if('emailAddress' in who, (query) => query.where('email_address', '=', 'emailAddress' in who ? who.emailAddress : ''))
    .$if('id' in who, (query) => query.where('id', '=', 'id' in who ? who.id : ''))
    .where('status', '=', 'active')
    .where((where) => where.or([where('locked_until', 'is', null), where('locked_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst()
}

/** It was no guess: the password was right, and only the code is lacking. The count stays what it was, or codes could be guessed without end. */
async function uncountSignInAttempt({ db }: World, id: string): Promise<void> {
  await db.updateTable('users').set({ failed_attempts: sql`greatest(failed_attempts - 1, 0)`, locked_until: null }).where('id', '=', id).execute()
}

/** A code is good once (RFC 6238 §5.2): of two requests with the same one the statement lets one through. */
export async function useTotpCode(world: World, { id, totp_secret }: UserRow, code: string): Promise<boolean> {
  const step = totp_secret ? totpStep(openTotpSecret(world, id, totp_secret), code, world.clock.now()) : undefined
  if (step === undefined) return false
  const taken = await world.db
    .updateTable('users')
    .set({ last_totp_step: step })
    .where('id', '=', id)
    .where((where) => where.or([where('last_totp_step', 'is', null), where('last_totp_step', '<', step)]))
    .returning('id')
    .executeTakeFirst()
  return taken !== undefined
}

/** Whether somebody who is signed in has just shown that it is them; wrong guesses count as those at the door do. */
export async function verifyIdentity(world: World, id: string, proof: { password: string } | { code: string }): Promise<boolean> {
  const row = await countSignInAttempt(world, { id })
  const right =
    'password' in proof
      ? await verifyPassword(row?.password_hash ?? null, proof.password)
      : row !== undefined && (await useTotpCode(world, row, proof.code))
  if (row && !right) await recordFailedSignIn(world, row, 'password' in proof ? 'wrong_password' : 'wrong_code')
  if (!row || !right) return false
  await world.db.updateTable('users').set({ failed_attempts: 0, locked_until: null }).where('id', '=', id).execute()
  return true
}
