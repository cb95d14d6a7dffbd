import { createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA-256 of the body's bytes under the API key, in hex. */
export const SIGNATURE_HEADER = 'x-anti-fraud-signature'

/** Whether the service that has this key signed these bytes. Without a key nothing is signed. */
export function isSigned(apiKey: string | undefined, text: string, signature: unknown): boolean {
  if (!apiKey || typeof signature !== 'string') return false
  const expected = Buffer.from(createHmac('sha256', apiKey).update(text).digest('hex'))
  const given = Buffer.from(signature)
  return expected.length === given.length && timingSafeEqual(expected, given)
}
