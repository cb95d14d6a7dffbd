import { createHash } from 'node:crypto'
import { type CryptoKey, type JWTPayload, jwtVerify } from 'jose'
import { type Static, type TSchema, Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { mistimedToken, unauthorized } from '../errors.ts'
import { Amount, Currency, MapOf, Open, Text, Uuid } from '../schema.ts'
import { hasDuplicateMembers } from '../server/json-members.ts'
import { validatorCompiler } from '../server/validation.ts'
import { isJsonObject } from '../values/json-object.ts'
import type { EmbedConstraintName } from './embed-constraint-names.ts'

/**
 * The signature algorithms of key pairs (semantics §1.2). EdDSA and ES256 verify in a tenth of the time of
 * ES512.
 */
export const algorithms = ['ES512', 'RS512', 'ES256', 'ES384', 'RS256', 'EdDSA'] as const
export type Algorithm = (typeof algorithms)[number]

/** The public key of a key pair, and what its tokens may do. */
export interface SigningKey {
  id: string
  displayName: string
  algorithm: Algorithm
  publicKey: CryptoKey
  scopes: readonly string[]
  /** Empty: every account. */
  merchantAccountIds: readonly string[]
  /** True: a request must name its merchant account. */
  mustNameAccount: boolean
}

/**
 * The embed constraints of a token: values that a browser cannot change (semantics §1.4). Other members are
 * refused: a misspelt one would fix nothing, and the merchant would believe that it does.
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
  // the rate of a browser's token is counted under this id
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

/**
 * Longer tokens are refused unread. One with a cart of a hundred plain lines is shorter; the server reads
 * headers of twice this length.
 */
const MAX_TOKEN_LENGTH = 16_384
/** A header with algorithm, type and key id has some 130 characters. */
const MAX_HEADER_LENGTH = 1_024
const CLOCK_SKEW_SECONDS = 60
const MAX_VERIFIED = 20_000
const kidForm = /^[A-Za-z0-9_-]{43}$/

/**
 * Header members with which a token would choose how it is verified (RFC 8725 §3.10) or change what is
 * signed.
 */
const forbiddenMembers = ['jku', 'x5u', 'x5c', 'x5t', 'jwk', 'crit', 'b64', 'zip', 'enc']

/** Verifies a token. Throws 401 unless an active key has signed it. */
export type TokenVerifier = (text: string) => Promise<{ token: Token; key: SigningKey }>

/**
 * Makes a verifier of bearer tokens (semantics §1.2). It checks a signature once, in a thread of WebCrypto,
 * and remembers the result under the token's SHA-256 until the token expires; whether the key is still active
 * is looked up every time. `longestLife` is in seconds from `nbf` to `exp`; 0: no bound.
 */
export function tokenVerifier(
  clock: Clock,
  keyByThumbprint: (kid: string) => Promise<SigningKey | undefined>,
  longestLife = 0,
): TokenVerifier {
  const verified = new Map<string, Token>()
  const now = () => Math.floor(clock.now() / 1000)

  return async (text) => {
    if (text.length > MAX_TOKEN_LENGTH)
      throw unauthorized(`the token is longer than ${MAX_TOKEN_LENGTH} characters`)
    const digest = createHash('sha256').update(text).digest('base64')
    const remembered = verified.get(digest)
    const kid = remembered?.kid ?? readKid(text)
    const key = await keyByThumbprint(kid)
    if (!key) throw unauthorized(`the key ${kid} is unknown or revoked`)
    if (remembered && remembered.exp > now()) return { token: remembered, key }

    const token = readClaims(await verify(text, key, clock), kid, now(), longestLife)
    if (verified.size >= MAX_VERIFIED) dropOldest(verified, now())
    verified.set(digest, token)
    return { token, key }
  }
}

/** Drops expired tokens, and the oldest others down to half of what may be remembered. */
function dropOldest(verified: Map<string, Token>, now: number) {
  for (const [digest, token] of verified) if (token.exp <= now) verified.delete(digest)
  const surplus = verified.size - MAX_VERIFIED / 2
  if (surplus <= 0) return
  let index = 0
  for (const digest of verified.keys()) {
    if (index++ >= surplus) return
    verified.delete(digest)
  }
}

/**
 * The thumbprint of the key that the header names. Nothing else of a token is read before its key is found to
 * be active.
 */
function readKid(text: string): string {
  const header = readHeader(text)
  if (header['typ'] !== undefined && header['typ'] !== 'JWT')
    throw unauthorized('the token is of another type than JWT')
  if (forbiddenMembers.some((member) => member in header))
    throw unauthorized('the header of the token says how it is to be verified')
  const { kid } = header
  if (typeof kid !== 'string' || !kidForm.test(kid))
    throw unauthorized('the kid of the token is not a thumbprint')
  return kid
}

function readHeader(text: string): Record<string, unknown> {
  const part = text.slice(0, Math.min(text.indexOf('.'), MAX_HEADER_LENGTH + 1))
  if (part.length > MAX_HEADER_LENGTH)
    throw unauthorized(`the header of the token is longer than ${MAX_HEADER_LENGTH} characters`)
  return readPart(part)
}

/** The JSON object in a part of a token. Throws 401 if two programs could read it in different ways. */
function readPart(part: string): Record<string, unknown> {
  try {
    const json = Buffer.from(part, 'base64url').toString()
    const parsed: unknown = JSON.parse(json)
    if (isJsonObject(parsed) && isCanonicalBase64url(part) && !hasDuplicateMembers(json, parsed))
      return parsed
  } catch {
    // not JSON: answered as below
  }
  throw unauthorized('the token is malformed')
}

/**
 * The last character of base64url has bits that decoders ignore, so that one token could be spelled in
 * several ways.
 */
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

/** The library's errors in words, for the operator's log. */
const reasons: Partial<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has expired',
  ERR_JWT_CLAIM_VALIDATION_FAILED: 'the token is not valid yet',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature does not fit',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token is signed with another algorithm than the one of its key',
}

function readClaims(payload: JWTPayload, kid: string, now: number, longestLife: number): Token {
  const checked = checkClaims(payload)
  if (typeof checked === 'object' && 'error' in checked)
    throw unauthorized('a claim is missing or has the wrong shape')
  const { jti, nbf, exp, iat = 0, scopes, embed, checkout_session_id } = payload as Static<typeof Claims>
  // clock skew is allowed for `nbf` and `iat` only: an expired token is refused at once. A token with an
  // audience is for another service
  if (exp <= now) throw mistimedToken('the token has expired')
  if (iat > now + CLOCK_SKEW_SECONDS) throw mistimedToken('the token is not valid yet')
  if (longestLife > 0 && exp - nbf > longestLife)
    throw mistimedToken(`the token is good for longer than ${longestLife} seconds`)
  if (payload.aud !== undefined) throw unauthorized('the token has an audience')
  // a server's token may have an embed claim with its merchant account alone
  if (scopes.includes('embed') && embed && (embed.amount === undefined || embed.currency === undefined))
    throw unauthorized('the embed claim lacks the amount or the currency')
  return { kid, jti, scopes, embed, checkoutSessionId: checkout_session_id, exp }
}
