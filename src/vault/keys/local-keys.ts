import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import type { KeyProvider } from './key-provider.ts'

const NONCE = 12
const TAG = 16

/** Answers the master keys of 32 bytes, the newest first; the same array while nothing has changed. */
export type MasterKeyReader = () => Promise<readonly Buffer[]>

interface WrappingKey {
  id: string
  key: Buffer
}

/** Master keys in this process, the newest first: that one wraps, all of them unwrap. A reader is asked before each wrap, and for a key id that is not known. */
export function localKeys(masterKeys: readonly Buffer[] | MasterKeyReader): KeyProvider {
  const read: MasterKeyReader = typeof masterKeys === 'function' ? masterKeys : async () => masterKeys
  let seen: readonly Buffer[] = []
  let wrapping: readonly WrappingKey[] = []

  async function refresh(): Promise<readonly WrappingKey[]> {
    const found = await read()
    if (found !== seen) {
      seen = found
      wrapping = found.map((key) => ({ id: keyIdOf(key), key: Buffer.from(hkdfSync('sha256', key, 'railyard', 'data-keys', 32)) }))
    }
    return wrapping
  }
  async function current(): Promise<WrappingKey> {
    const [newest] = await refresh()
    if (!newest) throw new Error('there is no master key')
    return newest
  }
  const named = (keyId: string) => wrapping.find(({ id }) => id === keyId)
  return {
    currentKeyId: async () => (await current()).id,
    names: async () => (await refresh()).map(({ id }) => id),
    async wrap(dataKey, context) {
      const { id, key } = await current()
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      return { keyId: id, wrapped: Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]) }
    },
    async unwrap({ keyId, wrapped }, context) {
      const known = named(keyId) ?? (await refresh().then(() => named(keyId)))
      if (!known) throw new Error(`the master key ${keyId} is not known`)
      const decipher = createDecipheriv('aes-256-gcm', known.key, wrapped.subarray(0, NONCE), { authTagLength: TAG }).setAAD(Buffer.from(context))
      decipher.setAuthTag(wrapped.subarray(-TAG))
      return Buffer.concat([decipher.update(wrapped.subarray(NONCE, -TAG)), decipher.final()])
    },
  }
}

/** A name for a master key that says nothing of it. */
export const keyIdOf = (masterKey: Buffer): string => createHash('sha256').update('railyard master key').update(masterKey).digest('hex').slice(0, 16)
