import { createHmac } from 'node:crypto'

/**
 * The message with a reviewer's decision that the service posts to a webhook URL: `transaction_id`,
 * `decision` (`ACCEPT`, `REJECT`), `comment`. It is signed with the API key that the merchant gave the
 * service: HMAC-SHA-256 over the body, in hex.
 */
export function signedReview(
  apiKey: string,
  decision: unknown,
): { headers: Record<string, string>; text: string } {
  const text = JSON.stringify(decision)
  const signature = createHmac('sha256', apiKey).update(text).digest('hex')
  return { headers: { 'content-type': 'application/json', 'x-anti-fraud-signature': signature }, text }
}
