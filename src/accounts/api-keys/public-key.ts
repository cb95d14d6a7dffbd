import { createPublicKey, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import type { Algorithm } from '../../api/auth/token.ts'
import { invalid } from '../../api/errors.ts'
import type { KeyAlgorithm } from './api-key-pair.schema.ts'

/** A public key that its owner sent; it verifies the tokens of the key pair. */
export interface PublicKey {
  algorithm: Algorithm
  publicJwk: Record<string, unknown>
  /** RFC 7638. */
  thumbprint: string
}

/** The signature algorithm of tokens for each `algorithm` of the API (semantics §16.2). */
export const tokenAlgorithms = { ECDSA: 'ES512', RSA: 'RS512' } as const satisfies Record<
  KeyAlgorithm,
  Algorithm
>

/**
 * The API's `algorithm` for a signature algorithm: RS512 and RS256 are RSA, the others are on elliptic
 * curves.
 */
export const toApiAlgorithm = (algorithm: string): KeyAlgorithm =>
  algorithm.startsWith('RS') ? 'RSA' : 'ECDSA'

const MIN_MODULUS_BITS = 2048
/** With a longer modulus each verification of a token takes milliseconds. */
const MAX_MODULUS_BITS = 8192
/** FIPS 186-5 §5.1: with a small exponent signatures can be forged. */
const MIN_EXPONENT = 65_537n

const pemForm = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/

/**
 * Reads an SPKI PEM of a key on P-521 or of RSA. Throws 400 for anything else, without repeating the text: it
 * may be a private key.
 */
export async function readPublicKey(pem: string, algorithm: KeyAlgorithm): Promise<PublicKey> {
  const key = pemForm.test(pem) ? parse(pem) : undefined
  if (!key)
    throw invalid({ '/public_key': 'is not a public key in PEM form (SPKI, `-----BEGIN PUBLIC KEY-----`)' })
  const problem = problems[algorithm](key)
  if (problem) throw invalid({ '/public_key': problem })
  const publicJwk = { ...key.export({ format: 'jwk' }) }
  return {
    algorithm: tokenAlgorithms[algorithm],
    publicJwk,
    thumbprint: await calculateJwkThumbprint(publicJwk),
  }
}

function parse(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem)
  } catch {
    return undefined
  }
}

const problems: Record<KeyAlgorithm, (key: KeyObject) => string | undefined> = {
  ECDSA: ({ asymmetricKeyType: type, asymmetricKeyDetails: details }) =>
    type === 'ec' && details?.namedCurve === 'secp521r1'
      ? undefined
      : 'is not a key on the curve P-521, as the algorithm ECDSA wants it',
  RSA({ asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }) {
    if (type !== 'rsa') return 'is not an RSA key, as the algorithm RSA wants it'
    if (modulusLength < MIN_MODULUS_BITS || modulusLength > MAX_MODULUS_BITS)
      return `is an RSA key of ${modulusLength} bits; ${MIN_MODULUS_BITS} to ${MAX_MODULUS_BITS} are taken`
    return publicExponent < MIN_EXPONENT ? `has a public exponent below ${MIN_EXPONENT}` : undefined
  },
}
