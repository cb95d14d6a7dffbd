import { createHmac, type KeyObject, randomBytes } from 'node:crypto'

/** A new signing secret: 64 random bytes in base64url, 86 characters. */
export const newSigningSecret = (): string => randomBytes(64).toString('base64url')

/**
 * A secret in the form that the `standardwebhooks` libraries accept: they decode it, and sign with the bytes
 * of its text.
 */
export const toStandardWebhooksSecret = (secret: string): string =>
  `whsec_${Buffer.from(secret).toString('base64')}`

/** A secret's text, or the key object of its bytes, with which a signature takes a sixth of the time. */
export type WebhookSigningKey = string | KeyObject

export interface SignedContent {
  /** The event's id, the same in every attempt. */
  id: string
  /** When the attempt is made, in seconds since 1970. */
  timestamp: number
  body: string
}

/** `hex(HMAC-SHA256(secret as text, "{timestamp}.{body}"))` (semantics §15.3). */
export const signWebhook = (
  secret: WebhookSigningKey,
  { timestamp, body }: Pick<SignedContent, 'timestamp' | 'body'>,
): string => createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')

/** `v1,` and the base64 of HMAC-SHA256 over `{id}.{timestamp}.{body}` (Standard Webhooks 1.0.0). */
const signStandardWebhook = (secret: WebhookSigningKey, { id, timestamp, body }: SignedContent): string =>
  `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`

/**
 * One signature for each secret, in both forms: Railyard's (semantics §15.3) and that of Standard Webhooks.
 */
export const signatureHeaders = (
  secrets: readonly WebhookSigningKey[],
  content: SignedContent,
): Record<string, string> => ({
  'x-svc-webhook-id': content.id,
  'x-svc-webhook-timestamp': String(content.timestamp),
  'x-svc-webhook-signatures': secrets.map((secret) => signWebhook(secret, content)).join(','),
  'webhook-id': content.id,
  'webhook-timestamp': String(content.timestamp),
  'webhook-signature': secrets.map((secret) => signStandardWebhook(secret, content)).join(' '),
})

/**
 * The headers of an order event of the Agentic Commerce Protocol (2026-04-17). `Merchant-Signature` has one
 * signature, with the newest secret.
 */
export const merchantSignatureHeaders = (
  [secret = '']: readonly WebhookSigningKey[],
  content: SignedContent,
): Record<string, string> => ({
  'merchant-signature': `t=${content.timestamp},v1=${signWebhook(secret, content)}`,
  'request-id': content.id,
  timestamp: new Date(content.timestamp * 1_000).toISOString(),
})
