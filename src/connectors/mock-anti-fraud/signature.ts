import { isHmacSignature } from '../wire/hmac-signature.ts'

/** HMAC-SHA-256 of the body's bytes under the API key, in hex. */
export const SIGNATURE_HEADER = 'x-anti-fraud-signature'

/** Whether the service with this API key signed these bytes; false without a key. */
export function isSigned(apiKey: string | undefined, text: string, signature: unknown): boolean {
  return (
    apiKey !== undefined &&
    apiKey !== '' &&
    typeof signature === 'string' &&
    isHmacSignature(apiKey, text, signature)
  )
}
