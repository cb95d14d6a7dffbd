import { type Static, Type } from 'typebox'
import { validatorCompiler } from '../api/validation.ts'
import { type MerchantAnswer, type MerchantHttp, NotReached } from '../outgoing/merchant-http.ts'
import type { World } from '../world.ts'
import type { WebhookAuthentication, WebhookEndpoint } from './webhook-subscription.store.ts'

type Asking = Pick<World, 'merchantHttp' | 'clock'>
type OAuth = Exclude<WebhookAuthentication, { kind: 'basic' }>

/** What one receiver's token endpoint has given us, or is about to. */
interface Held {
  /** What it was asked with: a subscription that has changed asks again. */
  asked: string
  token: Promise<string>
  /** Milliseconds since 1970; Infinity while it is asked for. */
  until: number
}

/** In memory only, by subscription: as long-lived as the connections that it was asked over. */
const tokens = new WeakMap<MerchantHttp, Map<string, Held>>()

const TIMEOUT_MS = 5_000
/** Where nobody says how long a token is good: not long, and a 401 of the receiver ends it sooner. */
const UNSTATED_LIFE_SECONDS = 300

/**
 * The headers that a receiver asks for besides the signature. A token is asked for once, however many deliveries wait for it, and kept until shortly before it
 * expires. Throws `NotReached` where there is none to be had; the reason holds no secret.
 */
export async function authorizationOf(
  world: Asking,
  { id, authentication }: Pick<WebhookEndpoint, 'id' | 'authentication'>,
): Promise<Record<string, string>> {
  if (authentication === null) return {}
  if (authentication.kind === 'basic') return { authorization: basic(authentication.username, authentication.password) }
  return { authorization: `Bearer ${await tokenFor(world, id, authentication)}` }
}

/** After the receiver has answered 401: the next delivery asks for a new token. */
export const forgetToken = ({ merchantHttp }: Pick<World, 'merchantHttp'>, id: string): void => void tokens.get(merchantHttp)?.delete(id)

const basic = (name: string, password: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

function tokenFor(world: Asking, id: string, authentication: OAuth): Promise<string> {
  const held = tokens.get(world.merchantHttp) ?? new Map<string, Held>()
  tokens.set(world.merchantHttp, held)
  const now = world.clock.now()
  const asked = JSON.stringify(authentication)
  const known = held.get(id)
  if (known && known.asked === asked && known.until > now) return known.token
  for (const [other, { until }] of held) if (until <= now) held.delete(other)

  const granted = askForToken(world, authentication)
  const entry: Held = { asked, token: granted.then(({ token }) => token), until: Number.POSITIVE_INFINITY }
  held.set(id, entry)
  granted.then(
    ({ seconds }) => {
      // what is sent now must still be good when it arrives
      entry.until = now + 1000 * (seconds - Math.min(30, seconds / 10))
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
async function askForToken({ merchantHttp }: Asking, authentication: OAuth): Promise<{ token: string; seconds: number }> {
  const { client_id, client_secret, token_url, scope } = authentication
  const grant =
    authentication.kind === 'oauth_password'
      ? { grant_type: 'password', username: authentication.username, password: authentication.password }
      : { grant_type: 'client_credentials' }
  const answer = await merchantHttp
    .request(token_url, {
      method: 'POST',
      headers: {
        authorization: basic(asInForm(client_id), asInForm(client_secret)),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({ ...grant, ...(scope !== null && scope !== '' && { scope }) }).toString(),
      timeout: TIMEOUT_MS,
    })
    .catch((error) => {
      throw new NotReached(`no token: ${error instanceof NotReached ? error.message : 'the token endpoint could not be asked'}`)
    })
  return readGrant(answer)
}

const asInForm = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

function readGrant({ status, text }: MerchantAnswer): { token: string; seconds: number } {
  if (status !== 200) throw new NotReached(`no token: the token endpoint answered ${status}`)
  const grant = parsed(text)
  if (!grant) throw new NotReached('no token: what the token endpoint answered is no bearer token (RFC 6749 §5.1)')
  const stated = Number(grant.expires_in ?? Number.NaN)
  return { token: grant.access_token, seconds: stated >= 0 ? stated : UNSTATED_LIFE_SECONDS }
}

function parsed(text: string): Static<typeof Grant> | undefined {
  try {
    const value = JSON.parse(text)
    const checked = isGrant(value)
    return typeof checked === 'object' && 'error' in checked ? undefined : value
  } catch {
    return undefined
  }
}
