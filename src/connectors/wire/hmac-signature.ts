import { createHmac } from 'node:crypto'
import { isEqualInConstantTime } from '../../base/cipher.ts'

/** Whether this is the HMAC-SHA-256 of the text under the key. */
export const isHmacSignature = (
  key: string | Buffer,
  text: string,
  signature: string,
  encoding: 'hex' | 'base64' = 'hex',
): boolean => isEqualInConstantTime(createHmac('sha256', key).update(text).digest(encoding), signature)
