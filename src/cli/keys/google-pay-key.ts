import { googlePayPublicKey } from '../../checkout/digital-wallets/google-pay.ts'
import type { Settings } from '../../settings.ts'
import { openVault } from '../../vault/open-vault.ts'
import { withDatabase } from './keys.ts'

/** `railyard google-pay-key`: prints the public key alone. It follows from the instance's root secret and stays when master keys are rotated. */
export const googlePayKey = (settings: Settings): Promise<void> =>
  withDatabase(settings, async ({ db }) => {
    const { cipher, masterKeys } = await openVault(db, settings)
    console.log(googlePayPublicKey({ cipher }))
    await masterKeys.close()
  })
