import { type Static, Type } from 'typebox'
import { validatorCompiler } from '../../api/server/validation.ts'
import { type MerchantAnswer, type MerchantHttp, MerchantUnreachable } from '../../outgoing/merchant-http.ts'
import type { World } from '../../world.ts'
import type { WebhookEndpoint } from '../subscriptions/webhook-subscription.store.ts'
import type { WebhookAuthentication } from '../subscriptions/webhook-subscription.ts'

type TokenWorld = Pick<World, 'merchantHttp' | 'clock'>
type OAuth = Exclude<WebhookAuthentication, { kind: 'basic' }>

/** The access token of one subscription, or the request for it. */
interface CachedToken {
  /** The credentials of the request, as JSON: other credentials request another token. */
  requestedWith: string
  token: Promise<string>
  /** Milliseconds since 1970; Infinity until the token endpoint has answered. */
  expiresAt: number
}

/** In memory only, by subscription; they live as long as the connections. */
const cachedTokens = new WeakMap<MerchantHttp, Map<string, CachedToken>>()

const TIMEOUT_MS = 5_000
/** Used when the token endpoint names no lifetime. A 401 of the receiver ends a token sooner. */
const DEFAULT_TOKEN_LIFETIME_SECONDS = 300

/**
 * The headers by which Railyard authenticates itself to a receiver, besides the signature. A token is
 * requested once, even if many deliveries wait for it, and cached until shortly before it expires. Throws
 * `MerchantUnreachable` if the token endpoint gives none; the message holds no secret.
 */
export async function authorizationHeaders(
  world: TokenWorld,
  { id, authentication }: Pick<WebhookEndpoint, 'id' | 'authentication'>,
): Promise<Record<string, string>> {
  if (authentication === null) return {}
  if (authentication.kind === 'basic')
    return { authorization: basic(authentication.username, authentication.password) }
  return { authorization: `Bearer ${await getAccessToken(world, id, authentication)}` }
}

/** Call it after a 401 of the receiver: the next delivery requests a new token. */
export const dropCachedToken = ({ merchantHttp }: Pick<World, 'merchantHttp'>, id: string): void =>
  void cachedTokens.get(merchantHttp)?.delete(id)

const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

function getAccessToken(world: TokenWorld, id: string, authentication: OAuth): Promise<string> {
  const tokens = cachedTokens.get(world.merchantHttp) ?? new Map<string, CachedToken>()
  cachedTokens.set(world.merchantHttp, tokens)
  const now = world.clock.now()
  const credentials = JSON.stringify(authentication)
  const cached = tokens.get(id)
  if (cached && cached.requestedWith === credentials && cached.expiresAt > now) return cached.token
  for (const [subscription, { expiresAt }] of tokens) if (expiresAt <= now) tokens.delete(subscription)

  const grant = requestAccessToken(world, authentication)
  const entry: CachedToken = {
    requestedWith: credentials,
    token: grant.then(({ token }) => token),
    expiresAt: Number.POSITIVE_INFINITY,
  }
  tokens.set(id, entry)
  grant.then(
    ({ seconds }) => {
      // a token that is sent now must still be valid when it arrives
      entry.expiresAt = now + 1000 * (seconds - Math.min(30, seconds / 10))
    },
    () => {
      if (tokens.get(id) === entry) tokens.delete(id)
    },
  )
  return entry.token
}

/** The members of RFC 6749 §5.1 that Railyard needs. */
const Grant = Type.Object({
  access_token: Type.String({ pattern: '^[\\x21-\\x7e]+$', maxLength: 8192 }),
  token_type: Type.String({ pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr]$' }),
  // seconds; some servers write it as text
  expires_in: Type.Optional(Type.Unknown()),
})
const isGrant = validatorCompiler({ schema: Grant, httpPart: 'body', method: '', url: '' })

/**
 * The client authenticates by HTTP Basic, with its id and secret form-encoded (RFC 6749 §2.3.1); the grant is
 * a form (§4.3.2, §4.4.2).
 */
async function requestAccessToken(
  { merchantHttp }: TokenWorld,
  authentication: OAuth,
): Promise<{ token: string; seconds: number }> {
  const { client_id, client_secret, token_url, scope } = authentication
  const grant =
    authentication.kind === 'oauth_password'
      ? { grant_type: 'password', username: authentication.username, password: authentication.password }
      : { grant_type: 'client_credentials' }
  const answer = await merchantHttp
    .request(token_url, {
      method: 'POST',
      headers: {
        authorization: basic(formEncoded(client_id), formEncoded(client_secret)),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({ ...grant, ...(scope !== null && scope !== '' && { scope }) }).toString(),
      timeout: TIMEOUT_MS,
    })
    .catch((error) => {
      throw new MerchantUnreachable(
        `no token: ${error instanceof MerchantUnreachable ? error.message : 'the token endpoint could not be asked'}`,
      )
    })
  return readGrant(answer)
}

const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

function readGrant({ status, text }: MerchantAnswer): { token: string; seconds: number } {
  if (status !== 200) throw new MerchantUnreachable(`no token: the token endpoint answered ${status}`)
  const grant = parseGrant(text)
  if (!grant)
    throw new MerchantUnreachable(
      'no token: what the token endpoint answered is no bearer token (RFC 6749 §5.1)',
    )
  const stated = Number(grant.expires_in ?? Number.NaN)
  return { token: grant.access_token, seconds: stated >= 0 ? stated : DEFAULT_TOKEN_LIFETIME_SECONDS }
}

function parseGrant(text: string): Static<typeof Grant> | undefined {
  try {
    const value = JSON.parse(text)
    const checked = isGrant(value)
    return typeof checked === 'object' && 'error' in checked ? undefined : value
  } catch {
    return undefined
  }
}
