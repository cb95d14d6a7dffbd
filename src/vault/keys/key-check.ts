import { randomBytes } from 'node:crypto'
import { ApiError } from '../../api/errors.ts'
import type { World } from '../../world.ts'
import type { KeyProvider } from './key-provider.ts'

const CONTEXT = 'encryption_keys'

/**
 * Keeps a value under the key that wraps now, where there is none yet: every process that serves must be able to open it. Answers the key's id where it was this call that
 * kept one.
 */
export async function storeKeyCheck(db: World['db'], keys: KeyProvider): Promise<string | undefined> {
  const current = await keys.currentKeyId()
  if (await isKeyAnnounced(db, current)) return undefined
  const { keyId, wrapped } = await keys.wrap(randomBytes(32), CONTEXT)
  const kept = await db
    .insertInto('encryption_keys')
    .values({ key_id: keyId, wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key_id')
    .executeTakeFirst()
  return kept?.key_id
}

/** Whether a value is kept under the key: it is in use. */
export const isKeyAnnounced = async (db: World['db'], keyId: string): Promise<boolean> =>
  (await db.selectFrom('encryption_keys').select('key_id').where('key_id', '=', keyId).executeTakeFirst()) !== undefined

/** Forgets the value under a key that is not used after all. */
export const deleteKeyCheck = (db: World['db'], keyId: string) => db.deleteFrom('encryption_keys').where('key_id', '=', keyId).execute()

/** Forgets the values under keys that nothing else is under. */
export async function deleteUnusedKeyChecks(db: World['db'], used: readonly string[]): Promise<void> {
  await db.deleteFrom('encryption_keys').where('key_id', 'not in', used).execute()
}

/** How long a key that opened is taken to open still: a key service is not asked each time that a load balancer asks. */
const TRUSTED_MS = 30_000

/**
 * Says whether a process can open what is under each key in use. A key service that is away does not make it false: requests that use a stored card are answered 503 meanwhile,
 * and other payments go on.
 */
export function makeKeyHealthCheck({ keys, run }: Pick<World, 'keys' | 'run'>): () => Promise<boolean> {
  const opened = new Map<string, number>()
  const opens = async ({ key_id: keyId, wrapped }: { key_id: string; wrapped: Buffer }) => {
    if ((opened.get(keyId) ?? Number.NEGATIVE_INFINITY) > performance.now() - TRUSTED_MS) return true
    try {
      await keys.unwrap({ keyId, wrapped }, CONTEXT)
    } catch (error) {
      return error instanceof ApiError
    }
    opened.set(keyId, performance.now())
    return true
  }
  return async () => {
    const rows = await run<{ key_id: string; wrapped: Buffer }>('select key_id, wrapped from encryption_keys', [])
    return (await Promise.all(rows.map(opens))).every(Boolean)
  }
}
