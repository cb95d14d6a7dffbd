import { createHash } from 'node:crypto'
import { type CryptoKey, type JWTPayload, jwtVerify } from 'jose'
import { type Static, type TSchema, Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { mistimedToken, unauthorized } from '../errors.ts'
import { Amount, Currency, MapOf, Open, Text, Uuid } from '../schema.ts'
import { hasDuplicateMembers } from '../server/json-members.ts'
import { validatorCompiler } from '../server/validation.ts'
import type { EmbedConstraintName } from './embed-constraint-names.ts'

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
  /** True where a request must name its account. */
  mustNameAccount: boolean
}

/**
 * Values that a browser's token fixes, so that the browser cannot change them (SEMANTICS §1.4). No other member is taken: a misspelt one would pin nothing,
 * and the merchant would believe that it does.
 */
const Embed = Type.Object(
  {
    amount: Type.Optional(Amount),
    currency: Type.Optional(Currency),
    buyer_id: Type.Optional(Type.String()),
    buyer_external_identifier: Type.Optional(Type.String()),
    merchant_account_id: Type.Optional(Type.String()),
    metadata: Type.Optional(MapOf(Type.String())),
    cart_items: Type.Optional(Type.Array(Open)),
    connection_options: Type.Optional(Open),
  } satisfies Record<EmbedConstraintName, TSchema>,
  { additionalProperties: false },
)
export type Embed = Static<typeof Embed>

const Claims = Type.Object({
  iss: Type.String(),
  nbf: Type.Number(),
  exp: Type.Number(),
  iat: Type.Optional(Type.Number()),
  // the rate of a browser's token is counted under it
  jti: Text(1, 255),
  scopes: Type.Array(Type.String()),
  embed: Type.Optional(Embed),
  checkout_session_id: Type.Optional(Uuid),
})

const checkClaims = validatorCompiler({ schema: Claims, httpPart: 'body', method: '', url: '' })

export interface Token {
  kid: string
  jti: string
  scopes: readonly string[]
  embed: Embed | undefined
  checkoutSessionId: string | undefined
  /** Unix seconds. */
  exp: number
}

/** Longer tokens are refused unread. An embed claim with a cart of a hundred plain lines stays below; `server.ts` reads headers of twice that. */
const MAX_TOKEN_LENGTH = 16_384
/** That of a token which names its algorithm, its type and its key has some 130. */
const MAX_HEADER_LENGTH = 1_024
const CLOCK_SKEW_SECONDS = 60
const MAX_VERIFIED = 20_000
const kidForm = /^[A-Za-z0-9_-]{43}$/

/** Header members that would let the token say how it is to be verified (RFC 8725 §3.10) or change what is signed. */
const forbiddenMembers = ['jku', 'x5u', 'x5c', 'x5t', 'jwk', 'crit', 'b64', 'zip', 'enc']

/** Throws 401 for anything but a live key's token. */
export type TokenVerifier = (text: string) => Promise<{ token: Token; key: SigningKey }>

/**
 * Verifies bearer tokens (SEMANTICS §1.2). A signature is checked once, in a thread of WebCrypto's, and remembered by the token's SHA-256
 * until it expires; that its key still lives is asked every time. `longestLife` is in seconds, from `nbf` to `exp`; 0: any.
 */
export function tokenVerifier(clock: Clock, keyByThumbprint: (kid: string) => Promise<SigningKey | undefined>, longestLife = 0): TokenVerifier {
  const verified = new Map<string, Token>()
  const now = () => Math.floor(clock.now() / 1000)

  return async (text) => {
    if (text.length > MAX_TOKEN_LENGTH) throw unauthorized(`the token is longer than ${MAX_TOKEN_LENGTH} characters`)
    const digest = createHash('sha256').update(text).digest('base64')
    const known = verified.get(digest)
    const kid = known?.kid ?? readKid(text)
    const key = await keyByThumbprint(kid)
    if (!key) throw unauthorized(`the key ${kid} is unknown or revoked`)
    if (known && known.exp > now()) return { token: known, key }

    const token = readClaims(await verify(text, key, clock), kid, now(), longestLife)
    if (verified.size >= MAX_VERIFIED) forgetOldest(verified, now())
    verified.set(digest, token)
    return { token, key }
  }
}

function forgetOldest(verified: Map<string, Token>, now: number) {
  for (const [digest, token] of verified) if (token.exp <= now) verified.delete(digest)
  const surplus = verified.size - MAX_VERIFIED / 2
  if (surplus <= 0) return
  let index = 0
  for (const digest of verified.keys()) {
    if (index++ >= surplus) return
    verified.delete(digest)
  }
}

/** The key that the header names. All that is done with a token before its key is known to live. */
function readKid(text: string): string {
  const header = readHeader(text)
  if (header['typ'] !== undefined && header['typ'] !== 'JWT') throw unauthorized('the token is of another type than JWT')
  if (forbiddenMembers.some((member) => member in header)) throw unauthorized('the header of the token says how it is to be verified')
  const { kid } = header
  if (typeof kid !== 'string' || !kidForm.test(kid)) throw unauthorized('the kid of the token is no thumbprint')
  return kid
}

function readHeader(text: string): Record<string, unknown> {
  const part = text.slice(0, Math.min(text.indexOf('.'), MAX_HEADER_LENGTH + 1))
  if (part.length > MAX_HEADER_LENGTH) throw unauthorized(`the header of the token is longer than ${MAX_HEADER_LENGTH} characters`)
  return readPart(part)
}

/** The JSON object that a part of a token spells. Throws 401 where it could be read in more than one way. */
function readPart(part: string): Record<string, unknown> {
  try {
    const json = Buffer.from(part, 'base64url').toString()
    const parsed: unknown = JSON.parse(json)
    if (isObject(parsed) && isCanonicalBase64url(part) && !hasDuplicateMembers(json, parsed)) return parsed
  } catch {
    // no JSON: malformed like the others
  }
  throw unauthorized('the token is malformed')
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The last character of a part has bits that decoders ignore: a token could be spelled in several ways. */
const isCanonicalBase64url = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part

async function verify(text: string, key: SigningKey, clock: Clock): Promise<JWTPayload> {
  const [, claims = '', signature = ''] = text.split('.')
  if (!isCanonicalBase64url(signature)) throw unauthorized('the token is malformed')
  const { payload } = await jwtVerify(text, key.publicKey, {
    algorithms: [key.algorithm],
    clockTolerance: CLOCK_SKEW_SECONDS,
    currentDate: new Date(clock.now()),
  }).catch((error) => {
    const isSigned = error?.code === 'ERR_JWT_EXPIRED' || error?.code === 'ERR_JWT_CLAIM_VALIDATION_FAILED'
    throw (isSigned ? mistimedToken : unauthorized)(reasons[error?.code] ?? 'the token is malformed')
  })
  readPart(claims)
  return payload
}

/** What the library says, for whoever looks at the log. */
const reasons: Partial<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has expired',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'the token is not valid yet',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature does not fit',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token is signed with another algorithm than the one of its key',
}

function readClaims(payload: JWTPayload, kid: string, now: number, longestLife: number): Token {
  const checked = checkClaims(payload)
  if (typeof checked === 'object' && 'error' in checked) throw unauthorized('a claim is missing or has the wrong shape')
  const { jti, nbf, exp, iat = 0, scopes, embed, checkout_session_id } = payload as Static<typeof Claims>
  // the skew is granted to `nbf` and `iat` only: an expired token is expired. A token with an audience is meant for somebody else: we have none
  if (exp <= now) throw mistimedToken('the token has expired')
  if (iat > now + CLOCK_SKEW_SECONDS) throw mistimedToken('the token is not valid yet')
  if (longestLife > 0 && exp - nbf > longestLife) throw mistimedToken(`the token is good for longer than ${longestLife} seconds`)
  if (payload.aud !== undefined) throw unauthorized('the token has an audience')
  // a server's token names its account in the same claim, and pins no payment with it
  if (scopes.includes('embed') && embed && (embed.amount === undefined || embed.currency === undefined))
    throw unauthorized('the embed claim lacks the amount or the currency')
  return { kid, jti, scopes, embed, checkoutSessionId: checkout_session_id, exp }
}
