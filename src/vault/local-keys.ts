import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { KeyProvider } from './key-provider.ts'

const NONCE = 12
const TAG = 16

/** Master keys of 32 bytes in this process, the newest first: that one wraps, all of them unwrap. */
export function localKeys(masterKeys: readonly Buffer[]): KeyProvider {
  const wrapping = masterKeys.map((key) => ({ id: keyIdOf(key), key: Buffer.from(hkdfSync('sha256', key, 'railyard', 'data-keys', 32)) }))
  const [current] = wrapping
  if (!current) throw new Error('there is no master key')
  return {
    currentKeyId: async () => current.id,
    async wrap(dataKey, context) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(context))
      return { keyId: current.id, wrapped: Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]) }
    },
    async unwrap({ keyId, wrapped }, context) {
      const known = wrapping.find(({ id }) => id === keyId)
      if (!known) throw new Error(`the master key ${keyId} is not known`)
      const decipher = createDecipheriv('aes-256-gcm', known.key, wrapped.subarray(0, NONCE), { authTagLength: TAG }).setAAD(Buffer.from(context))
      decipher.setAuthTag(wrapped.subarray(-TAG))
      return Buffer.concat([decipher.update(wrapped.subarray(NONCE, -TAG)), decipher.final()])
    },
  }
}

/** A name for a master key that says nothing of it. */
export const keyIdOf = (masterKey: Buffer): string => createHash('sha256').update('railyard master key').update(masterKey).digest('hex').slice(0, 16)
