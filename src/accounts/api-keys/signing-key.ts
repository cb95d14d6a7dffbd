import { importJWK } from 'jose'
import { algorithms, type SigningKey } from '../../api/auth/token.ts'
import type { World } from '../../world.ts'
import { scopesOf } from '../roles/role.ts'
import type { ApiKeyPairRow } from './api-key-pair.store.ts'

/** The active key with this thumbprint, for the verification of tokens. Cached. */
export const findSigningKey = (world: World, thumbprint: string): Promise<SigningKey | undefined> =>
  world.cache.get('api_key_pairs', thumbprint, async () => {
    const row = await world.db
      .selectFrom('api_key_pairs')
      .selectAll()
      .where('thumbprint', '=', thumbprint)
      .where('active', '=', true)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return row && toSigningKey(row)
  })

async function toSigningKey(row: ApiKeyPairRow): Promise<SigningKey | undefined> {
  const algorithm = algorithms.find((known) => known === row.algorithm)
  if (!algorithm) return undefined
  const publicKey = await importJWK(row.public_jwk, algorithm)
  if (publicKey instanceof Uint8Array) return undefined
  return {
    id: row.id,
    displayName: row.display_name,
    algorithm,
    publicKey,
    scopes: scopesOf(row.role_ids),
    merchantAccountIds: row.merchant_account_ids,
    mustNameAccount: row.merchant_account_required,
  }
}

/**
 * Returns a function that writes `last_used_at`, at most once a minute for each key pair: operators look
 * there for unused keys, and it must not add a write to every payment.
 */
export function makeKeyUsageRecorder(world: Pick<World, 'db' | 'machineClock' | 'log'>) {
  const recordedAt = new Map<string, number>()
  return (id: string): void => {
    const now = world.machineClock.now()
    if (now - (recordedAt.get(id) ?? 0) < 60_000) return
    recordedAt.set(id, now)
    world.db
      .updateTable('api_key_pairs')
      .set({ last_used_at: new Date(now).toISOString() })
      .where('id', '=', id)
      .execute()
      .catch((error) => world.log.warn({ err: error }, 'last use of a key could not be recorded'))
  }
}
