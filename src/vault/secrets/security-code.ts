import type { World } from '../../world.ts'
import { openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'

const context = (account: string, id: string) => rowContext('security_codes', account, id)

/**
 * Stores a security code for one use, for example by a checkout session (semantics §5.6), in place of one
 * that was stored before. `expiresAt` is ISO 8601. `world.db` may be a database transaction.
 */
export async function storeSecurityCode(
  world: Pick<World, 'db' | 'keys'>,
  account: string,
  id: string,
  code: string,
  expiresAt: string,
): Promise<void> {
  const envelope = { ...(await sealEnvelope(world, code, context(account, id))), expires_at: expiresAt }
  await world.db
    .insertInto('security_codes')
    .values({ merchant_account_id: account, id, ...envelope })
    .onConflict((conflict) => conflict.columns(['merchant_account_id', 'id']).doUpdateSet(envelope))
    .execute()
}

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
  return openEnvelope(world, row, context(account, row.id))
}

/** Deletes a security code unused. */
export async function dropSecurityCode(
  { db }: Pick<World, 'db'>,
  account: string,
  id: string,
): Promise<void> {
  await db
    .deleteFrom('security_codes')
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .execute()
}

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
