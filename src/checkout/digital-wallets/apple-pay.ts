import { createHash, type KeyObject } from 'node:crypto'
import { derivedKey } from '../../vault/keys/derived-key.ts'
import type { ApplePayKey } from '../../vault/wallet-tokens/apple-pay-token.ts'
import type { World } from '../../world.ts'
import { activeCertificates } from './apple-pay-certificate.store.ts'
import { merchantIdHash } from './apple-pay-certificate.ts'

/** The merchant identifier of an account for the sandbox's devices. */
export const sandboxMerchantIdentifier = (account: string): string => `merchant.sandbox.${account}`

/**
 * The key for which the sandbox's devices encrypt. It needs no certificate, so that buyers can pay with a new
 * wallet at once.
 */
export const sandboxApplePayKey = ({ cipher }: Pick<World, 'cipher'>, account: string): ApplePayKey => ({
  privateKey: derivedKey(cipher, 'sandbox-wallets', `apple-pay\n${account}`),
  merchantIdHash: createHash('sha256').update(sandboxMerchantIdentifier(account)).digest(),
})

/** The keys for which a device may have encrypted a token for this account. */
export async function applePayKeys(world: World, account: string, wallet: string): Promise<ApplePayKey[]> {
  const certificates = await activeCertificates(world, account, wallet, 'payment-processing')
  const keys = certificates.flatMap(({ certificate, key }) =>
    keysOfMerchant(key, merchantIdHash(certificate)),
  )
  return world.settings.environment === 'sandbox' ? [...keys, sandboxApplePayKey(world, account)] : keys
}

/** Without a hash there is no key; `uploadCertificate` refuses such a certificate. */
const keysOfMerchant = (privateKey: KeyObject, hash: Buffer | undefined): ApplePayKey[] =>
  hash ? [{ privateKey, merchantIdHash: hash }] : []
