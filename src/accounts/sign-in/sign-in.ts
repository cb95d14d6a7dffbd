import { type Kysely, sql } from 'kysely'
import { ApiError } from '../../api/errors.ts'
import { timeOf } from '../../base/clock.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { allPasskeys } from '../passkeys/passkey.store.ts'
import { isDisabled } from '../users/idle-users.ts'
import { normalizeEmailAddress, type UserRow } from '../users/user.ts'
import { hashPassword, needsRehash, verifyPassword } from './password.ts'
import { mustEnroll } from './second-factor.ts'
import type { SignIn } from './session.schema.ts'
import { type OpenedSession, openSession } from './session.store.ts'
import { recordFailedSignIn, recordUnknownSignIn, runAsUser } from './sign-in-audit.ts'
import { openTotpSecret, totpStep } from './totp.ts'

/** This many wrong guesses in a row lock an account: for a minute, then two, four, … up to an hour. */
const ATTEMPTS_BEFORE_LOCK = 5

/**
 * The same answer for a wrong password, an unknown address, a locked account and an invitation that is not
 * accepted yet.
 */
const signInRefused = (reason: string) =>
  new ApiError(
    401,
    'unauthorized',
    'The email address or the password is wrong, or there were too many attempts',
    { reason },
  )

/** Answered only after the right password, as are the next three. */
const totpRequired = (userId: string) =>
  new ApiError(401, 'totp_required', 'A code of the authenticator app is needed: totp_code', {
    reason: `no code came with the password of user ${userId}`,
  })
const totpWrong = (userId: string) =>
  new ApiError(401, 'totp_invalid', 'The code is wrong, too old or has been used', {
    reason: `wrong code of user ${userId}`,
  })

const passkeyRequired = (userId: string) =>
  new ApiError(401, 'passkey_required', 'The password alone is not enough: sign in with your passkey', {
    reason: `user ${userId} has a passkey and no authenticator app`,
  })

export const userDisabled = (userId: string) =>
  new ApiError(
    401,
    'user_disabled',
    'The account is disabled after 90 days without a sign-in; a new invitation opens it again',
    {
      reason: `user ${userId} is disabled`,
    },
  )

/** Signs a person in with a new session. Throws 401. */
export async function signIn(
  world: World,
  { email_address, password, totp_code }: SignIn,
): Promise<{ row: UserRow; session: OpenedSession }> {
  const row = await countSignInAttempt(world, { emailAddress: normalizeEmailAddress(email_address) })
  const isRightPassword = await verifyPassword(row?.password_hash ?? null, password)
  if (!row) {
    await recordUnknownSignIn(world)
    throw signInRefused('no person who may sign in now has this address')
  }
  if (!isRightPassword) {
    await recordFailedSignIn(world, row, 'wrong_password')
    throw signInRefused(
      `wrong password of user ${row.id}${row.locked_until ? `, locked until ${row.locked_until}` : ''}`,
    )
  }
  if (await mustUsePasskey(world, row)) {
    await uncountSignInAttempt(world, row.id)
    throw passkeyRequired(row.id)
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
  return completeSignIn(
    world,
    row,
    row.password_hash && needsRehash(row.password_hash) ? await hashPassword(password) : row.password_hash,
  )
}

/** Whether the person's second factor is a passkey. With the password alone a stranger could set up a factor of their own. */
const mustUsePasskey = async (world: World, row: UserRow): Promise<boolean> =>
  mustEnroll(world.settings, row, 'password') && (await allPasskeys(world, row.id)).length > 0

/**
 * Opens the session. Throws 401 if the person was deleted, or their password changed, while it was being
 * verified.
 */
async function completeSignIn(world: World, { id, password_hash }: UserRow, hash: string | null) {
  return world.db.transaction().execute(async (db) => {
    const row = await db
      .updateTable('users')
      .set({
        failed_attempts: 0,
        locked_until: null,
        password_hash: hash,
        last_signed_in_at: timeOf(world.clock),
      })
      .where('id', '=', id)
      .where('status', '=', 'active')
      .where('password_hash', '=', password_hash)
      .returningAll()
      .executeTakeFirst()
    if (!row) throw signInRefused(`the password of user ${id} was changed meanwhile`)
    return { row, session: await runAsUser(row, () => openSession(db, world, id, 'password')) }
  })
}

/**
 * Sets the count of wrong guesses to zero after a right answer. Undefined: the person was deleted meanwhile.
 */
export const recordSignIn = (
  db: Kysely<Tables>,
  { clock }: Pick<World, 'clock'>,
  id: string,
): Promise<UserRow | undefined> =>
  db
    .updateTable('users')
    .set({ failed_attempts: 0, locked_until: null, last_signed_in_at: timeOf(clock) })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .returningAll()
    .executeTakeFirst()

/**
 * Counts a guess before it is verified, so that of a hundred at the same time only five are verified. The
 * statement decides: undefined if there is no such person, or the account is locked. A right guess sets the
 * count to zero afterwards.
 */
export function countSignInAttempt(
  { db, clock }: World,
  person: { emailAddress: string } | { id: string },
): Promise<UserRow | undefined> {
  const now = timeOf(clock)
  return db
    .updateTable('users')
    .set({
      failed_attempts: sql`failed_attempts + 1`,
      locked_until: sql`case when failed_attempts + 1 >= ${sql.lit(ATTEMPTS_BEFORE_LOCK)}
        then ${now}::timestamptz + least(60, power(2, least(failed_attempts + 1 - ${sql.lit(ATTEMPTS_BEFORE_LOCK)}, 6))) * interval '1 minute' end`,
    })
    .where((where) =>
      'id' in person ? where('id', '=', person.id) : where('email_address', '=', person.emailAddress),
    )
    .where('status', '=', 'active')
    .where((where) => where.or([where('locked_until', 'is', null), where('locked_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst()
}

/**
 * Takes back one count: the password was right and no code came. It does not set the count to zero, or codes
 * could be guessed without end.
 */
async function uncountSignInAttempt({ db }: World, id: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ failed_attempts: sql`greatest(failed_attempts - 1, 0)`, locked_until: null })
    .where('id', '=', id)
    .execute()
}

/**
 * Whether the code is right and was not used before (RFC 6238 §5.2): of two requests with the same code, the
 * statement lets one through.
 */
export async function useTotpCode(
  world: World,
  { id, totp_secret }: UserRow,
  code: string,
): Promise<boolean> {
  const step = totp_secret
    ? totpStep(openTotpSecret(world, id, totp_secret), code, world.clock.now())
    : undefined
  if (step === undefined) return false
  const updated = await world.db
    .updateTable('users')
    .set({ last_totp_step: step })
    .where('id', '=', id)
    .where((where) => where.or([where('last_totp_step', 'is', null), where('last_totp_step', '<', step)]))
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

/** What a person who is signed in proves again who they are by: all that is there must be right. */
interface Proof {
  password?: string | undefined
  code?: string | undefined
}

/** What is wrong with each part, by its JSON pointer. */
export const wrongParts = {
  password: { '/password': 'is not your password' },
  code: { '/code': 'is wrong, too old or has been used' },
} as const satisfies Record<keyof Proof, Record<string, string>>

/**
 * Which part of a proof is wrong; undefined: none. It counts as one guess at a sign-in. A right password without the
 * code of a person who has an app does not set the count to zero, or codes could be guessed without end.
 */
export async function wrongPartOf(
  world: World,
  id: string,
  { password, code }: Proof,
): Promise<keyof Proof | undefined> {
  const row = await countSignInAttempt(world, { id })
  const isWrongPassword =
    password !== undefined && !(await verifyPassword(row?.password_hash ?? null, password))
  if (!row) return password === undefined ? 'code' : 'password'
  if (isWrongPassword || (code !== undefined && !(await useTotpCode(world, row, code)))) {
    await recordFailedSignIn(world, row, isWrongPassword ? 'wrong_password' : 'wrong_code')
    return isWrongPassword ? 'password' : 'code'
  }
  if (row.totp_secret !== null && code === undefined) await uncountSignInAttempt(world, id)
  else
    await world.db
      .updateTable('users')
      .set({ failed_attempts: 0, locked_until: null })
      .where('id', '=', id)
      .execute()
  return undefined
}
