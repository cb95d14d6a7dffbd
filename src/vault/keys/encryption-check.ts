import type { Cipher } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/** The MAC of a fixed text under this cipher, as the table `encryption_check` has it. */
export const encryptionCheckOf = (cipher: Cipher): Buffer => cipher.mac('encryption-check', 'railyard')

/** Undefined: the instance is new, or of a version without the check. */
export const readEncryptionCheck = async (db: World['db']): Promise<Buffer | undefined> =>
  (await db.selectFrom('encryption_check').select('mac').executeTakeFirst())?.mac

/**
 * Whether this cipher is the one with which the database was made. A new database stores this cipher's MAC;
 * of two first starts one does.
 */
export async function passesEncryptionCheck(db: World['db'], cipher: Cipher): Promise<boolean> {
  const mac = encryptionCheckOf(cipher)
  await db
    .insertInto('encryption_check')
    .values({ mac })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readEncryptionCheck(db))?.equals(mac) === true
}
