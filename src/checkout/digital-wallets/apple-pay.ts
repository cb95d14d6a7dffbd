import { createHash, type KeyObject } from 'node:crypto'
import { derivedKey } from '../../vault/keys/derived-key.ts'
import type { ApplePayKey } from '../../vault/wallet-tokens/apple-pay-token.ts'
import type { World } from '../../world.ts'
import { activeCertificates } from './apple-pay-certificate.store.ts'
import { merchantIdHash } from './apple-pay-certificate.ts'

/** The merchant that an account is to the sandbox's devices. */
export const sandboxMerchantIdentifier = (account: string): string => `merchant.sandbox.${account}`

/** The key that the sandbox's devices encrypt for: there without any certificate, so that a new wallet can be paid with at once. */
export const sandboxApplePayKey = ({ cipher }: Pick<World, 'cipher'>, account: string): ApplePayKey => ({
  privateKey: derivedKey(cipher, 'sandbox-wallets', `apple-pay\n${account}`),
  merchantIdHash: createHash('sha256').update(sandboxMerchantIdentifier(account)).digest(),
})

/** The keys for which devices may have encrypted a token for this account. */
export async function applePayKeys(world: World, account: string, wallet: string): Promise<ApplePayKey[]> {
  const certificates = await activeCertificates(world, account, wallet, 'payment-processing')
  const keys = certificates.flatMap(({ certificate, key }) => keysOfMerchant(key, merchantIdHash(certificate)))
  return world.settings.environment === 'sandbox' ? [...keys, sandboxApplePayKey(world, account)] : keys
}

/** An upload without a merchant identifier was refused. */
const keysOfMerchant = (privateKey: KeyObject, hash: Buffer | undefined): ApplePayKey[] => (hash ? [{ privateKey, merchantIdHash: hash }] : [])
