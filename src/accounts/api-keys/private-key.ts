import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import type { CryptoKey } from 'jose'
import { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair, importPKCS8, SignJWT } from 'jose'
import type { Algorithm } from '../../api/auth/token.ts'

/** A new key pair. The PEM is answered to its owner and not stored. */
export interface GeneratedKey {
  privateKeyPem: string
  publicJwk: Record<string, unknown>
  /** RFC 7638. */
  thumbprint: string
}

export async function generateKey(algorithm: Algorithm): Promise<GeneratedKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, {
    extractable: true,
    ...(algorithm.startsWith('RS') && { modulusLength: 3072 }),
  })
  const publicJwk = await exportJWK(publicKey)
  return {
    privateKeyPem: await exportPKCS8(privateKey),
    publicJwk: { ...publicJwk },
    thumbprint: await calculateJwkThumbprint(publicJwk),
  }
}

/** The algorithm of a key's curve, by the curve's name in a JWK. */
const algorithmOfCurve: Record<string, Algorithm> = {
  'P-521': 'ES512',
  'P-256': 'ES256',
  'P-384': 'ES384',
  Ed25519: 'EdDSA',
}

/** A private key that signs tokens. */
export interface Signer {
  privateKey: CryptoKey
  publicJwk: Record<string, unknown>
  algorithm: Algorithm
  thumbprint: string
}

/**
 * Reads a PKCS #8 PEM. Throws if it is not a private key of an accepted kind. An RSA key fits two algorithms;
 * `rsa` says which one it signs with.
 */
export async function readSigner(pem: string, rsa: 'RS512' | 'RS256' = 'RS512'): Promise<Signer> {
  const jwk = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  const algorithm = jwk.kty === 'RSA' ? rsa : algorithmOfCurve[jwk.crv ?? '']
  if (!algorithm) throw new TypeError(`a key of the kind ${jwk.kty} ${jwk.crv ?? ''} cannot sign tokens`)
  return {
    privateKey: await importPKCS8(pem, algorithm),
    publicJwk: { ...jwk },
    algorithm,
    thumbprint: await calculateJwkThumbprint(jwk),
  }
}

export interface TokenClaims {
  scopes: readonly string[]
  /** Seconds. */
  expiresIn: number
  /** The values that a browser's token fixes (semantics §1.4). */
  embed?: Record<string, unknown>
  /** The checkout session that a browser's token is for. */
  checkoutSession?: string
}

/** Signs a bearer token (semantics §1.2). `now` in milliseconds. */
export async function signToken(
  { privateKey, algorithm, thumbprint }: Signer,
  { scopes, expiresIn, embed, checkoutSession }: TokenClaims,
  now: number,
): Promise<string> {
  const seconds = Math.floor(now / 1000)
  return new SignJWT({
    scopes: [...scopes],
    ...(embed && { embed }),
    ...(checkoutSession && { checkout_session_id: checkoutSession }),
  })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: thumbprint })
    .setIssuer('railyard-cli')
    .setIssuedAt(seconds)
    .setNotBefore(seconds)
    .setExpirationTime(seconds + expiresIn)
    .setJti(randomUUID())
    .sign(privateKey)
}
