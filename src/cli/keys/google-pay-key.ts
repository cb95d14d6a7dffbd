import { googlePayPublicKey } from '../../checkout/digital-wallets/google-pay.ts'
import type { Settings } from '../../settings.ts'
import { openVault } from '../../vault/open-vault.ts'
import { withDatabase } from '../support/command-database.ts'

/**
 * `railyard google-pay-key`: prints the public key. It is derived from the instance's root secret, so a
 * rotation of the encryption key does not change it.
 */
export const googlePayKey = (settings: Settings): Promise<void> =>
  withDatabase(settings, async ({ db }) => {
    const { cipher, masterKeys } = await openVault(db, settings)
    console.log(googlePayPublicKey({ cipher }))
    await masterKeys.close()
  })
