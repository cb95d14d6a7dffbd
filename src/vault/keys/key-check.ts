import { randomBytes } from 'node:crypto'
import { ApiError } from '../../api/errors.ts'
import type { World } from '../../world.ts'
import type { KeyProvider } from './key-provider.ts'

const CONTEXT = 'encryption_keys'

/**
 * Stores a value under the key that wraps now, if there is none yet: every process that serves must be able
 * to open it. Answers the key's id if this call stored it.
 */
export async function storeKeyCheck(db: World['db'], keys: KeyProvider): Promise<string | undefined> {
  const current = await keys.currentKeyId()
  if (await isKeyAnnounced(db, current)) return undefined
  const { keyId, wrapped } = await keys.wrap(randomBytes(32), CONTEXT)
  const stored = await db
    .insertInto('encryption_keys')
    .values({ key_id: keyId, wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key_id')
    .executeTakeFirst()
  return stored?.key_id
}

/** Whether the key is in use: a value is stored under it. */
export const isKeyAnnounced = async (db: World['db'], keyId: string): Promise<boolean> =>
  (await db.selectFrom('encryption_keys').select('key_id').where('key_id', '=', keyId).executeTakeFirst()) !==
  undefined

/** Deletes the value under a key that is not used after all. */
export const deleteKeyCheck = (db: World['db'], keyId: string) =>
  db.deleteFrom('encryption_keys').where('key_id', '=', keyId).execute()

/** Deletes the values under keys that no secret uses. */
export async function deleteUnusedKeyChecks(db: World['db'], used: readonly string[]): Promise<void> {
  await db.deleteFrom('encryption_keys').where('key_id', 'not in', used).execute()
}

/**
 * How long a key that opened counts as good: a key service is not asked for each health check of a load
 * balancer.
 */
const TRUSTED_MS = 30_000

/**
 * Makes a check of whether this process can open what is under each key in use. It stays true while a key
 * service does not answer: requests with a stored card get a 503 meanwhile, and other payments continue.
 */
export function makeKeyHealthCheck({ keys, run }: Pick<World, 'keys' | 'run'>): () => Promise<boolean> {
  const openedAt = new Map<string, number>()
  const opens = async ({ key_id: keyId, wrapped }: { key_id: string; wrapped: Buffer }) => {
    if ((openedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) > performance.now() - TRUSTED_MS) return true
    try {
      await keys.unwrap({ keyId, wrapped }, CONTEXT)
    } catch (error) {
      return error instanceof ApiError
    }
    openedAt.set(keyId, performance.now())
    return true
  }
  return async () => {
    const rows = await run<{ key_id: string; wrapped: Buffer }>(
      'select key_id, wrapped from encryption_keys',
      [],
    )
    return (await Promise.all(rows.map(opens))).every(Boolean)
  }
}
