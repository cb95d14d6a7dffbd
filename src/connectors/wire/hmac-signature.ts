import { createHmac } from 'node:crypto'
import { isEqualInConstantTime } from '../../base/cipher.ts'

/** Whether this is the HMAC-SHA-256 of the text under the key, in hex. */
export const isHmacSignature = (key: string, text: string, signature: string): boolean =>
  isEqualInConstantTime(createHmac('sha256', key).update(text).digest('hex'), signature)
