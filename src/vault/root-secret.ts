import { ApiError } from '../api/errors.ts'
import type { World } from '../world.ts'
import type { KeyProvider, WrappedKey } from './key-provider.ts'

const CONTEXT = 'root_secret'

/** The master keys at hand do not open what this database was made with. */
export class WrongMasterKey extends Error {}

/**
 * The secret of 32 bytes that the instance's cipher is derived from. It is stored wrapped under the master keys, so these can be replaced, and it
 * stays: a fingerprint is the same for ever. `first` draws it where there is none; of two first starts one wins, and both use it. Throws `WrongMasterKey`.
 */
export async function rootSecret(db: World['db'], keys: KeyProvider, first: () => Promise<Buffer>): Promise<Buffer> {
  const known = await readRootSecret(db)
  if (known) return unwrap(keys, known)
  const { keyId, wrapped } = await keys.wrap(await first(), CONTEXT)
  await db
    .insertInto('root_secret')
    .values({ key_id: keyId, wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const winner = await readRootSecret(db)
  if (!winner) throw new Error('the root secret vanished')
  return unwrap(keys, winner)
}

const unwrap = (keys: KeyProvider, secret: WrappedKey): Promise<Buffer> =>
  keys.unwrap(secret, CONTEXT).catch((error) => {
    throw error instanceof ApiError ? error : new WrongMasterKey('the root secret does not open', { cause: error })
  })

async function readRootSecret(db: World['db']): Promise<WrappedKey | undefined> {
  const row = await db.selectFrom('root_secret').select(['key_id', 'wrapped']).executeTakeFirst()
  return row && { keyId: row.key_id, wrapped: row.wrapped }
}

/** Wraps the root secret under the current master key, where it is not yet. Answers whether it did. */
export async function rewrapRootSecret(db: World['db'], keys: KeyProvider, currentKeyId: string): Promise<boolean> {
  const known = await readRootSecret(db)
  if (!known || known.keyId === currentKeyId) return false
  const { keyId, wrapped } = await keys.wrap(await keys.unwrap(known, CONTEXT), CONTEXT)
  const { numUpdatedRows } = await db
    .updateTable('root_secret')
    .set({ key_id: keyId, wrapped })
    .where('wrapped', '=', known.wrapped)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
