import { type Static, Type } from 'typebox'
import { validatorCompiler } from '../../api/server/validation.ts'
import { type MerchantAnswer, type MerchantHttp, MerchantUnreachable } from '../../outgoing/merchant-http.ts'
import type { World } from '../../world.ts'
import type { WebhookEndpoint } from '../subscriptions/webhook-subscription.store.ts'
import type { WebhookAuthentication } from '../subscriptions/webhook-subscription.ts'

type TokenWorld = Pick<World, 'merchantHttp' | 'clock'>
type OAuth = Exclude<WebhookAuthentication, { kind: 'basic' }>

/** What one receiver's token endpoint has given us, or is about to. */
interface CachedToken {
  /** What it was asked with: a subscription that has changed asks again. */
  requestedWith: string
  token: Promise<string>
  /** Milliseconds since 1970; Infinity while it is asked for. */
  expiresAt: number
}

/** In memory only, by subscription: as long-lived as the connections that it was asked over. */
const cachedTokens = new WeakMap<MerchantHttp, Map<string, CachedToken>>()

const TIMEOUT_MS = 5_000
/** Where nobody says how long a token is good: not long, and a 401 of the receiver ends it sooner. */
const DEFAULT_TOKEN_LIFETIME_SECONDS = 300

/**
 * The headers that a receiver asks for besides the signature. A token is asked for once, however many deliveries wait for it, and kept until shortly before it
 * expires. Throws `MerchantUnreachable` where there is none to be had; the reason holds no secret.
 */
export async function authorizationHeaders(
  world: TokenWorld,
  { id, authentication }: Pick<WebhookEndpoint, 'id' | 'authentication'>,
): Promise<Record<string, string>> {
  if (authentication === null) return {}
  if (authentication.kind === 'basic') return { authorization: basic(authentication.username, authentication.password) }
  return { authorization: `Bearer ${await getAccessToken(world, id, authentication)}` }
}

/** After the receiver has answered 401: the next delivery asks for a new token. */
export const dropCachedToken = ({ merchantHttp }: Pick<World, 'merchantHttp'>, id: string): void => void cachedTokens.get(merchantHttp)?.delete(id)

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

function getAccessToken(world: TokenWorld, id: string, authentication: OAuth): Promise<string> {
  const held = cachedTokens.get(world.merchantHttp) ?? new Map<string, CachedToken>()
  cachedTokens.set(world.merchantHttp, held)
  const now = world.clock.now()
  const asked = JSON.stringify(authentication)
  const known = held.get(id)
  if (known && known.requestedWith === asked && known.expiresAt > now) return known.token
  for (const [other, { expiresAt }] of held) if (expiresAt <= now) held.delete(other)

  const granted = requestAccessToken(world, authentication)
  const entry: CachedToken = { requestedWith: asked, token: granted.then(({ token }) => token), expiresAt: Number.POSITIVE_INFINITY }
  held.set(id, entry)
  granted.then(
    ({ seconds }) => {
      // what is sent now must still be good when it arrives
      entry.expiresAt = now + 1000 * (seconds - Math.min(30, seconds / 10))
    },
    () => {
      if (held.get(id) === entry) held.delete(id)
    },
  )
  return entry.token
}

/** RFC 6749 §5.1, of which this much is asked for. */
const Grant = Type.Object({
  access_token: Type.String({ pattern: '^[\\x21-\\x7e]+$', maxLength: 8192 }),
  token_type: Type.String({ pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr]$' }),
  // seconds; some write it as text
  expires_in: Type.Optional(Type.Unknown()),
})
const isGrant = validatorCompiler({ schema: Grant, httpPart: 'body', method: '', url: '' })

/** The client shows itself by HTTP Basic, its id and secret as a form has them (RFC 6749 §2.3.1); the grant is a form (§4.3.2, §4.4.2). */
async function requestAccessToken({ merchantHttp }: TokenWorld, authentication: OAuth): Promise<{ token: string; seconds: number }> {
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
      throw new MerchantUnreachable(`no token: ${error instanceof MerchantUnreachable ? error.message : 'the token endpoint could not be asked'}`)
    })
  return readGrant(answer)
}

const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

function readGrant({ status, text }: MerchantAnswer): { token: string; seconds: number } {
  if (status !== 200) throw new MerchantUnreachable(`no token: the token endpoint answered ${status}`)
  const grant = parseGrant(text)
  if (!grant) throw new MerchantUnreachable('no token: what the token endpoint answered is no bearer token (RFC 6749 §5.1)')
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
