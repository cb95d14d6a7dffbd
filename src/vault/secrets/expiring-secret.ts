import type { World } from '../../world.ts'
import { rowContext, sealEnvelope } from '../envelope.ts'

/** The tables of secrets that are kept until a time. */
type ExpiringTable = 'held_instruments' | 'security_codes'

/**
 * Seals a secret until `expiresAt` (ISO 8601), in place of one that was stored under this id before.
 * `world.db` may be a database transaction.
 */
export async function storeExpiringSecret(
  world: Pick<World, 'db' | 'keys'>,
  table: ExpiringTable,
  { account, id }: { account: string; id: string },
  secret: string,
  expiresAt: string,
): Promise<void> {
  const sealed = await sealEnvelope(world, secret, rowContext(table, account, id))
  const envelope = { ...sealed, expires_at: expiresAt }
  await world.db
    .insertInto<ExpiringTable>(table)
    .values({ merchant_account_id: account, id, ...envelope })
    .onConflict((conflict) => conflict.columns(['merchant_account_id', 'id']).doUpdateSet(envelope))
    .execute()
}

/** Deletes a secret unused. False: there is none. */
export async function dropExpiringSecret(
  { db }: Pick<World, 'db'>,
  table: ExpiringTable,
  account: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom<ExpiringTable>(table)
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
