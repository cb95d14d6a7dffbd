import { bytesOf } from '../token/base64url.ts'
import type { RailyardEvent } from './event.ts'

export interface VerifyOptions {
  /** How old a delivery may be, in seconds: 300 by default. */
  tolerance?: number | undefined
}

type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** The request is not Railyard's, or is too old: answer 401. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
}

/** During a rotation there are two signatures; a sender of very many would have us compare them all. */
const MOST_SIGNATURES = 10

/**
 * The event of a webhook that Railyard signed. `body` is the request's body as it came, before it is parsed.
 * Throws `WebhookVerificationError` for any other request. `name` tells the events apart; ignore the names
 * that you do not know.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { tolerance = 300 }: VerifyOptions = {},
): Promise<RailyardEvent> {
  const timestamp = readHeader(headers, 'x-svc-webhook-timestamp')
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookVerificationError('the request has no x-svc-webhook-timestamp')
  if (Number(timestamp) < Date.now() / 1000 - tolerance)
    throw new WebhookVerificationError(`the request was signed more than ${tolerance} seconds ago`)
  const signatures = readHeader(headers, 'x-svc-webhook-signatures').split(',').slice(0, MOST_SIGNATURES)
  const bytes = typeof body === 'string' ? bytesOf(body) : body
  const signed = concatenate(bytesOf(`${timestamp}.`), bytes)
  for (const secret of [secrets].flat()) {
    const expected = await hmac(secret, signed)
    if (signatures.some((signature) => isEqual(signature.trim(), expected)))
      return JSON.parse(new TextDecoder().decode(bytes))
  }
  throw new WebhookVerificationError('no signature of the request is of this secret')
}

function readHeader(headers: WebhookHeaders, name: string): string {
  if (isFetchHeaders(headers)) return headers.get(name) ?? ''
  const key = Object.keys(headers).find((each) => each.toLowerCase() === name)
  return String((key && headers[key]) ?? '')
}

const isFetchHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers['get'] === 'function'

function concatenate(first: Uint8Array, second: Uint8Array) {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** The HMAC-SHA-256, in hex. */
async function hmac(secret: string, data: Uint8Array<ArrayBuffer>): Promise<string> {
  if (secret === '') throw new TypeError('railyard: the secret of a webhook is empty')
  const key = await crypto.subtle.importKey(
    'raw',
    bytesOf(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, data))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Takes as long for the first character that differs as for the last. */
function isEqual(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let index = 0; index < expected.length; index++)
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index)
  return difference === 0
}
