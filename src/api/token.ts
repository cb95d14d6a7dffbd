import { createHash } from 'node:crypto'
import { type CryptoKey, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import type { Clock } from '../world.ts'
import { unauthorized } from './errors.ts'

/** Signature algorithms that a key pair can be bound to (SEMANTICS §1.2; EdDSA and ES256 verify in a tenth of the time of ES512). */
export const algorithms = ['ES512', 'RS512', 'ES256', 'ES384', 'RS256', 'EdDSA'] as const
export type Algorithm = (typeof algorithms)[number]

/** A key pair's public half and what its bearer may do. */
export interface SigningKey {
  id: string
  displayName: string
  algorithm: Algorithm
  publicKey: CryptoKey
  scopes: readonly string[]
  /** Empty: every account. */
  merchantAccountIds: readonly string[]
}

/** Values that a browser's token fixes, so that the browser cannot change them (SEMANTICS §1.4). */
export interface Embed {
  amount?: number
  currency?: string
  buyer_id?: string
  buyer_external_identifier?: string
  merchant_account_id?: string
  metadata?: Record<string, string>
  cart_items?: unknown[]
  connection_options?: Record<string, unknown>
}

export interface Token {
  kid: string
  jti: string
  scopes: readonly string[]
  embed: Embed | undefined
  checkoutSessionId: string | undefined
  /** Unix seconds. */
  exp: number
}

/** Longer tokens are refused unread: an embed claim with a full cart stays far below. */
const LONGEST_TOKEN = 16_384
const CLOCK_SKEW_SECONDS = 60
const MOST_VERIFIED = 20_000
const kidForm = /^[A-Za-z0-9_-]{43}$/

/** Header members that would let the token say how it is to be verified (RFC 8725 §3.10) or change what is signed. */
const forbiddenMembers = ['jku', 'x5u', 'x5c', 'x5t', 'jwk', 'crit', 'b64', 'zip', 'enc']

export interface TokenVerifier {
  /** Throws 401 for anything but a live key's token. */
  (text: string): Promise<{ token: Token; key: SigningKey }>
}

/**
 * Verifies bearer tokens (SEMANTICS §1.2). A signature is checked once, in a thread of WebCrypto's, and remembered by the token's SHA-256
 * until it expires; that its key still lives is asked every time.
 */
export function tokenVerifier(clock: Clock, keyByThumbprint: (kid: string) => Promise<SigningKey | undefined>): TokenVerifier {
  const verified = new Map<string, Token>()
  const now = () => Math.floor(clock.now() / 1000)

  return async (text) => {
    if (text.length > LONGEST_TOKEN) throw unauthorized()
    const digest = createHash('sha256').update(text).digest('base64')
    const known = verified.get(digest)
    const kid = known?.kid ?? readKid(text)
    const key = await keyByThumbprint(kid)
    if (!key) throw unauthorized()
    if (known && known.exp > now()) return { token: known, key }

    const payload = await verify(text, key, clock)
    const token = readClaims(payload, kid)
    if (verified.size >= MOST_VERIFIED) forgetOldest(verified, now())
    verified.set(digest, token)
    return { token, key }
  }
}

function forgetOldest(verified: Map<string, Token>, now: number) {
  for (const [digest, token] of verified) if (token.exp <= now) verified.delete(digest)
  const surplus = verified.size - MOST_VERIFIED / 2
  if (surplus <= 0) return
  let index = 0
  for (const digest of verified.keys()) {
    if (index++ >= surplus) return
    verified.delete(digest)
  }
}

function readKid(text: string): string {
  try {
    const header = decodeProtectedHeader(text)
    const typed = header.typ === undefined || header.typ === 'JWT'
    if (typed && typeof header.kid === 'string' && kidForm.test(header.kid) && !forbiddenMembers.some((member) => member in header)) return header.kid
  } catch {
    // not a JWS: refused like any other
  }
  throw unauthorized()
}

async function verify(text: string, key: SigningKey, clock: Clock): Promise<JWTPayload> {
  const { payload } = await jwtVerify(text, key.publicKey, {
    algorithms: [key.algorithm],
    clockTolerance: CLOCK_SKEW_SECONDS,
    currentDate: new Date(clock.now()),
    requiredClaims: ['iss', 'nbf', 'exp', 'jti'],
  }).catch(() => {
    throw unauthorized()
  })
  // the skew is granted to `nbf` only: an expired token is expired
  if ((payload.exp ?? 0) <= Math.floor(clock.now() / 1000)) throw unauthorized()
  return payload
}

function readClaims(payload: JWTPayload, kid: string): Token {
  const { iss, jti, exp, scopes, embed, checkout_session_id: session } = payload
  if (typeof iss !== 'string' || typeof jti !== 'string' || typeof exp !== 'number') throw unauthorized()
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string')) throw unauthorized()
  if (embed !== undefined && (typeof embed !== 'object' || embed === null || Array.isArray(embed))) throw unauthorized()
  if (session !== undefined && typeof session !== 'string') throw unauthorized()
  return { kid, jti, scopes, embed: embed as Embed | undefined, checkoutSessionId: session, exp }
}
