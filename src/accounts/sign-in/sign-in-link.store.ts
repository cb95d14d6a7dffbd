import { sql } from 'kysely'
import { timeOf } from '../../base/clock.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { World } from '../../world.ts'
import { auditedUser, type UserRow } from '../users/user.ts'
import { hashPassword } from './password.ts'
import { hashRandomToken, newRandomToken, type OpenedSession, openSession } from './session.store.ts'
import { runAsUser } from './sign-in-audit.ts'

/** A developer starts the sandbox and opens the dashboard on the same day. */
const LIFETIME_MS = 24 * 3_600_000

/** The only person whom sign-in links sign in. The first link that is used adds them. */
export const sandboxAdministrator = {
  emailAddress: 'administrator@sandbox.example.com',
  name: 'Sandbox administrator',
} as const

/**
 * Makes a one-time link; it replaces an earlier one. The caller has checked that this is the sandbox. Returns
 * its URL, whose token the database has as a hash only.
 */
export async function createSignInLink(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  publicUrl: string,
): Promise<string> {
  const token = newRandomToken()
  await db.transaction().execute(async (db) => {
    await db.deleteFrom('sign_in_links').execute()
    await db
      .insertInto('sign_in_links')
      .values({
        token_hash: hashRandomToken(token),
        expires_at: new Date(clock.now() + LIFETIME_MS).toISOString(),
      })
      .execute()
  })
  return `${publicUrl}/sign-in/${token}`
}

/**
 * Whether a start offers a link: the sandbox has its administrator, or no person at all. A sandbox whose
 * people were invited has no use for another administrator.
 */
export async function offersSignInLink({ db }: Pick<World, 'db'>): Promise<boolean> {
  const person = await db
    .selectFrom('users')
    .select('email_address')
    .where('deleted_at', 'is', null)
    .orderBy(sql`email_address = ${sandboxAdministrator.emailAddress}`, 'desc')
    .limit(1)
    .executeTakeFirst()
  return person === undefined || person.email_address === sandboxAdministrator.emailAddress
}

/** Whether this link can be used: it is known, unused and has not expired. */
export async function isSignInLinkOpen(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  token: string,
): Promise<boolean> {
  const link = await db
    .selectFrom('sign_in_links')
    .select('expires_at')
    .where('token_hash', '=', hashRandomToken(token))
    .where('expires_at', '>', timeOf(clock))
    .executeTakeFirst()
  return link !== undefined
}

/**
 * Opens a session for the sandbox's administrator, who is added if they are missing. The statement that
 * deletes the link decides, so that a link is used once. Undefined if the link is unknown, used or expired.
 */
export async function useSignInLink(
  world: World,
  token: string,
): Promise<{ row: UserRow; session: OpenedSession } | undefined> {
  // nobody knows this password: `railyard users reset` lets the administrator choose one
  const password_hash = await hashPassword(newRandomToken())
  const signedIn = await world.db.transaction().execute(async (db) => {
    const now = timeOf(world.clock)
    const link = await db
      .deleteFrom('sign_in_links')
      .where('token_hash', '=', hashRandomToken(token))
      .where('expires_at', '>', now)
      .returning('expires_at')
      .executeTakeFirst()
    if (!link) return undefined
    const id = world.ids.next()
    const row = await db
      .insertInto('users')
      .values({
        id,
        email_address: sandboxAdministrator.emailAddress,
        name: sandboxAdministrator.name,
        status: 'active',
        password_hash,
        role_ids: ['administrator'],
        merchant_account_ids: [],
        last_signed_in_at: now,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) =>
        conflict.column('email_address').where('deleted_at', 'is', null).doUpdateSet({
          status: 'active',
          password_hash: sql`coalesce(users.password_hash, excluded.password_hash)`,
          last_signed_in_at: now,
        }),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    return runAsUser(row, async () => {
      if (row.id === id)
        await recordChange(db, world, { account: 'default', action: 'created', resource: auditedUser(row) })
      return { row, session: await openSession(db, world, row.id, 'sign-in-link') }
    })
  })
  world.changes.invalidate('users')
  return signedIn
}
