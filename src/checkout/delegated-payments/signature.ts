import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../api/errors.ts'
import { canonicalJson } from '../../api/values/canonical-json.ts'

/** The public keys of platforms, as `AGENTIC_COMMERCE_KEYS` has them. */
export const platformKeys = (keys: readonly JsonWebKey[]): KeyObject[] =>
  keys.map((key) => createPublicKey({ key, format: 'jwk' }))

/**
 * Throws 401 unless a key has signed the request: `Signature` is, in base64url, the Ed25519 or ES256 signature (of
 * ES256 the IEEE P1363 form) of `Timestamp`, `Idempotency-Key` and the canonical JSON of the body, with a full stop
 * between them. The protocol leaves the algorithm to an agreement. The key is signed, so that a request that is sent
 * again can only be the same one; the time is signed, and checked by `checkProtocolHeaders`.
 */
export function requireSignature(
  keys: readonly KeyObject[],
  { signature, timestamp, 'idempotency-key': key }: IncomingHttpHeaders,
  body: unknown,
): void {
  if (typeof signature !== 'string' || typeof timestamp !== 'string')
    throw unsigned('The headers Signature and Timestamp are required: this instance checks them')
  const signed = Buffer.from(`${timestamp}.${key ?? ''}.${canonicalJson(body)}`)
  const bytes = /^[\w-]+$/.test(signature) ? Buffer.from(signature, 'base64url') : Buffer.alloc(0)
  if (!keys.some((each) => isSignedBy(each, signed, bytes)))
    throw unsigned('The header Signature is of no key of a platform, or of another request')
}

const isSignedBy = (key: KeyObject, signed: Buffer, signature: Buffer): boolean =>
  key.asymmetricKeyType === 'ed25519'
    ? verify(null, signed, key, signature)
    : verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)

const unsigned = (message: string) => new ApiError(401, 'unauthorized', message)
