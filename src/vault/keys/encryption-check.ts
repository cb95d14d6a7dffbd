import type { Cipher } from '../../base/cipher.ts'
import type { World } from '../../world.ts'

/** The MAC that the cipher of this database's key makes of a fixed text; the table `encryption_check` keeps it. */
export const encryptionCheckOf = (cipher: Cipher): Buffer => cipher.mac('encryption-check', 'railyard')

/** Undefined: the instance is new, or of a version that had no check. */
export const readEncryptionCheck = async (db: World['db']): Promise<Buffer | undefined> =>
  (await db.selectFrom('encryption_check').select('mac').executeTakeFirst())?.mac

/** Whether this cipher is the one that the database was made with. A new database takes this one; of two first starts one writes it. */
export async function passesEncryptionCheck(db: World['db'], cipher: Cipher): Promise<boolean> {
  const mac = encryptionCheckOf(cipher)
  await db
    .insertInto('encryption_check')
    .values({ mac })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readEncryptionCheck(db))?.equals(mac) === true
}
