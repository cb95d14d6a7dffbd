import type { World } from '../../world.ts'
import { openEnvelope, rowContext } from '../envelope.ts'
import { dropExpiringSecret, storeExpiringSecret } from './expiring-secret.ts'

/**
 * Stores a security code for one use, for example by a checkout session (semantics §5.6), in place of one
 * that was stored before. `expiresAt` is ISO 8601. `world.db` may be a database transaction.
 */
export const storeSecurityCode = (
  world: Pick<World, 'db' | 'keys'>,
  account: string,
  id: string,
  code: string,
  expiresAt: string,
): Promise<void> => storeExpiringSecret(world, 'security_codes', { account, id }, code, expiresAt)

/**
 * The security code, which is deleted; of two calls at once one gets it. Null: there is none, or it has
 * expired.
 */
export async function takeSecurityCode(
  world: Pick<World, 'db' | 'keys' | 'clock'>,
  account: string,
  id: string,
): Promise<string | null> {
  const row = await world.db
    .deleteFrom('security_codes')
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!row || Date.parse(row.expires_at) <= world.clock.now()) return null
  return openEnvelope(world, row, rowContext('security_codes', account, row.id))
}

/** Deletes a security code unused. */
export const dropSecurityCode = (world: Pick<World, 'db'>, account: string, id: string): Promise<boolean> =>
  dropExpiringSecret(world, 'security_codes', account, id)

/** A security code lives as long as the session into which it was entered. */
export async function prolongSecurityCode(
  { db }: Pick<World, 'db'>,
  account: string,
  id: string,
  expiresAt: string,
): Promise<void> {
  await db
    .updateTable('security_codes')
    .set({ expires_at: expiresAt })
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .execute()
}
