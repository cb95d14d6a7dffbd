import { isHmacSignature } from '../hmac-signature.ts'

/** HMAC-SHA-256 of the body's bytes under the API key, in hex. */
export const SIGNATURE_HEADER = 'x-anti-fraud-signature'

/** Whether the service that has this key signed these bytes. Without a key nothing is signed. */
export function isSigned(apiKey: string | undefined, text: string, signature: unknown): boolean {
  return apiKey !== undefined && apiKey !== '' && typeof signature === 'string' && isHmacSignature(apiKey, text, signature)
}
