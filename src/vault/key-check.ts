import { randomBytes } from 'node:crypto'
import { ApiError } from '../api/errors.ts'
import type { World } from '../world.ts'
import type { KeyProvider } from './key-provider.ts'

const CONTEXT = 'encryption_keys'

/** Keeps a value under the key that wraps now, where there is none yet: whoever serves must be able to open it. */
export async function keepKeyCheck(db: World['db'], keys: KeyProvider): Promise<void> {
  const current = await keys.currentKeyId()
  const known = await db.selectFrom('encryption_keys').select('key_id').where('key_id', '=', current).executeTakeFirst()
  if (known) return
  const { keyId, wrapped } = await keys.wrap(randomBytes(32), CONTEXT)
  await db
    .insertInto('encryption_keys')
    .values({ key_id: keyId, wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Forgets the values under keys that nothing else is under. */
export async function forgetKeyChecks(db: World['db'], used: readonly string[]): Promise<void> {
  await db
    .deleteFrom('encryption_keys')
    .where('key_id', 'not in', [...used, ''])
    .execute()
}

/** How long a key that opened is taken to open still: a key service is not asked each time that a load balancer asks. */
const TRUSTED_MS = 30_000

/**
 * Says whether a process can open what is under each key in use. A key service that is away does not make it false: that is a 503 for whoever uses a card meanwhile,
 * and other payments go on.
 */
export function keyWatch({ keys, run }: Pick<World, 'keys' | 'run'>): () => Promise<boolean> {
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
