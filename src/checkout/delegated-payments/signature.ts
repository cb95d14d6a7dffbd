import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../api/errors.ts'
import { canonicalJson } from '../../api/values/canonical-json.ts'
import type { World } from '../../world.ts'

/**
 * A hook for the protocol's operations, which runs on the request as the platform sent it: validation may change
 * the form of a value. It refuses nothing unless the instance has keys of platforms (`AGENTIC_COMMERCE_KEYS`).
 */
export function checkPlatformSignature({ settings }: Pick<World, 'settings'>) {
  const keys = settings.agenticCommerceKeys.map((key) => createPublicKey({ key, format: 'jwk' }))
  return async (request: FastifyRequest): Promise<void> => {
    if (keys.length > 0) requireSignature(keys, request)
  }
}

/**
 * Throws 401 unless a key has signed the request: `Signature` is, in base64url, the Ed25519 or ES256 signature (of
 * ES256 the IEEE P1363 form) of `Timestamp`, `Idempotency-Key`, method and path, and the canonical JSON of the body,
 * with a full stop between them. The protocol leaves the algorithm to an agreement. Key and path are signed, so that
 * a request that is sent again can only be the same one; the time is signed, and checked by `checkProtocolHeaders`.
 */
function requireSignature(
  keys: readonly KeyObject[],
  { headers: { signature, timestamp, 'idempotency-key': key = '' }, method, url, body }: FastifyRequest,
): void {
  if (typeof signature !== 'string' || typeof timestamp !== 'string')
    throw unsigned('The headers Signature and Timestamp are required: this instance checks them')
  const text = body === undefined || body === null ? '' : canonicalJson(body)
  const signed = Buffer.from(`${timestamp}.${key}.${method} ${url}.${text}`)
  const bytes = /^[\w-]+$/.test(signature) ? Buffer.from(signature, 'base64url') : Buffer.alloc(0)
  if (!keys.some((each) => isSignedBy(each, signed, bytes)))
    throw unsigned('The header Signature is of no key of a platform, or of another request')
}

const isSignedBy = (key: KeyObject, signed: Buffer, signature: Buffer): boolean =>
  key.asymmetricKeyType === 'ed25519'
    ? verify(null, signed, key, signature)
    : verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)

const unsigned = (message: string) => new ApiError(401, 'unauthorized', message)
