import { googlePayPublicKey } from '../checkout/google-pay.ts'
import { createCipher } from '../cipher.ts'
import { prepareDataDir } from '../data-dir.ts'
import { masterKey } from '../instance.ts'
import type { Settings } from '../settings.ts'

/** `railyard google-pay-key`: prints the public key alone. It follows from the master key, so that no database is asked. */
export async function googlePayKey(settings: Settings): Promise<void> {
  await prepareDataDir(settings)
  console.log(googlePayPublicKey({ cipher: createCipher(await masterKey(settings)) }))
}
