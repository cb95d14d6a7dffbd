import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { World } from '../../world.ts'
import { type Envelope, openEnvelope, rowContext, sealEnvelope } from '../envelope.ts'

export type WalletKeyPurpose = 'payment-processing' | 'merchant-identity'

const contextOf = (account: string, certificate: string) =>
  rowContext('apple_pay_certificates', account, certificate)

/** A new private key for one of Apple's certificates, of the kind that Apple wants, sealed for its row. */
export async function makeWalletKey(
  world: World,
  account: string,
  certificate: string,
  purpose: WalletKeyPurpose,
): Promise<{ key: KeyObject; sealed: Envelope }> {
  const { privateKey: key } =
    purpose === 'payment-processing'
      ? await promisify(generateKeyPair)('ec', { namedCurve: 'prime256v1' })
      : await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const pem = key.export({ format: 'pem', type: 'pkcs8' }).toString()
  return { key, sealed: await sealEnvelope(world, pem, contextOf(account, certificate)) }
}

export async function openWalletKey(
  world: World,
  row: Envelope & { merchant_account_id: string; id: string },
): Promise<KeyObject> {
  return createPrivateKey(await openEnvelope(world, row, contextOf(row.merchant_account_id, row.id)))
}
