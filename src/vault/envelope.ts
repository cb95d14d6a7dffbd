import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { World } from '../world.ts'

/**
 * A secret at rest: `sealed` under its own data key, which is wrapped under the master key `key_id`. Each
 * table with secrets has these columns.
 */
export interface Envelope {
  key_id: string
  data_key: Buffer
  sealed: Buffer
}

const NONCE = 12
const TAG = 16

/** The row to which an envelope belongs: it cannot be opened in another one. */
export const rowContext = (table: string, account: string, id: string): string => `${table}/${account}/${id}`

/** AES-256-GCM under a new data key: 12-byte nonce, ciphertext, 16-byte tag. */
export async function sealEnvelope(
  { keys }: Pick<World, 'keys'>,
  plain: string,
  context: string,
): Promise<Envelope> {
  const dataKey = randomBytes(32)
  const { keyId, wrapped } = await keys.wrap(dataKey, context)
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', dataKey, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
  dataKey.fill(0)
  return { key_id: keyId, data_key: wrapped, sealed }
}

export async function openEnvelope(
  { keys }: Pick<World, 'keys'>,
  envelope: Envelope,
  context: string,
): Promise<string> {
  const { key_id: keyId, data_key: wrapped, sealed } = envelope
  const dataKey = await keys.unwrap({ keyId, wrapped }, context)
  const decipher = createDecipheriv('aes-256-gcm', dataKey, sealed.subarray(0, NONCE), {
    authTagLength: TAG,
  }).setAAD(Buffer.from(context))
  decipher.setAuthTag(sealed.subarray(-TAG))
  const plain = Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
  dataKey.fill(0)
  return plain.toString('utf8')
}
