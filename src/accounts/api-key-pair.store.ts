import { importJWK } from 'jose'
import type { Selectable } from 'kysely'
import { type Algorithm, algorithms, type SigningKey } from '../api/token.ts'
import { type AuditAction, type AuditedChange, recorded } from '../database/audit-log.ts'
import type { ApiKeyPairTable } from '../database/tables.ts'
import { timeOf, type World } from '../world.ts'
import { scopesOf } from './role.ts'

export type ApiKeyPairRow = Selectable<ApiKeyPairTable>

export interface NewKeyPair {
  displayName: string
  algorithm: Algorithm
  thumbprint: string
  publicJwk: Record<string, unknown>
  roleIds: string[]
  merchantAccountIds: string[]
}

type Store = Pick<World, 'db' | 'clock' | 'ids' | 'changes'>

export async function insertKeyPair(world: Store, pair: NewKeyPair): Promise<ApiKeyPairRow> {
  const now = timeOf(world.clock)
  const insert = (db: World['db']) =>
    db
      .insertInto('api_key_pairs')
      .values({
        id: world.ids.next(),
        display_name: pair.displayName,
        algorithm: pair.algorithm,
        thumbprint: pair.thumbprint,
        public_jwk: JSON.stringify(pair.publicJwk),
        role_ids: pair.roleIds,
        merchant_account_ids: pair.merchantAccountIds,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  const row = await recorded(world, insert, (created) => entry('created', created))
  await world.changes.announce('api_key_pairs')
  return row
}

export const listKeyPairs = (world: Pick<World, 'db'>): Promise<ApiKeyPairRow[]> =>
  world.db.selectFrom('api_key_pairs').selectAll().where('deleted_at', 'is', null).orderBy('created_at', 'desc').orderBy('id', 'desc').execute()

/** Its tokens stop working at once, in every process. `name` is an id or a thumbprint; false: there is no such key pair. */
export async function revokeKeyPair(world: Store, name: string): Promise<boolean> {
  const now = timeOf(world.clock)
  const revoke = (db: World['db']) =>
    db
      .updateTable('api_key_pairs')
      .set({ deleted_at: now, active: false, updated_at: now })
      .where('deleted_at', 'is', null)
      .where((eb) => eb.or([eb('thumbprint', '=', name), eb(eb.cast<string>('id', 'text'), '=', name)]))
      .returningAll()
      .executeTakeFirst()
  const revoked = await recorded(world, revoke, (row) => entry('deleted', row))
  if (!revoked) return false
  await world.changes.announce('api_key_pairs')
  return true
}

/** Key pairs belong to no merchant account. */
const entry = (action: AuditAction, { id, display_name }: ApiKeyPairRow): AuditedChange => ({
  account: 'default',
  action,
  resource: { type: 'api-key-pair', id, name: display_name },
})

/** The live key with this thumbprint, as tokens are verified with it. */
export const signingKey = (world: World, thumbprint: string): Promise<SigningKey | undefined> =>
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
  }
}

/**
 * Remembers when keys were used, once a minute and key at most: `last_used_at` is for people who look for keys that nobody uses, and must
 * not add a write to every payment.
 */
export function keyUsage(world: Pick<World, 'db' | 'clock' | 'log'>) {
  const noted = new Map<string, number>()
  return (id: string): void => {
    const now = world.clock.now()
    if (now - (noted.get(id) ?? 0) < 60_000) return
    noted.set(id, now)
    world.db
      .updateTable('api_key_pairs')
      .set({ last_used_at: new Date(now).toISOString() })
      .where('id', '=', id)
      .execute()
      .catch((error) => world.log.warn({ err: error }, 'last use of a key could not be noted'))
  }
}
