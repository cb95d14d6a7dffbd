import { createHash } from 'node:crypto'
import type { ServiceCall } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import type { HttpAnswer } from '../wire/http-message.ts'

/** A bearer token, or the reason why there is none. Requesting one moves no money. */
export type TokenAnswer = { token: string } | { code: ErrorCode; reason: string }

/** The tokens of all services with the same credentials (RFC 6749 §4.4). */
export interface Tokens {
  /** A valid token: the cached one, or a new one, requested once for all calls that wait for it. */
  get(call: ServiceCall, base: string): Promise<TokenAnswer>
  /** A new token, even if one is cached: proves that the credentials are valid now. */
  fresh(call: ServiceCall, base: string): Promise<TokenAnswer>
  /** Removes a token that the provider no longer accepts from the cache. */
  drop(call: ServiceCall, base: string, token: string): void
}

interface CachedToken {
  token: string
  /** Milliseconds since 1970. */
  until: number
}

/** A token must not expire while a request is on its way. */
const MARGIN_MS = 60_000

export function tokenCache(clock: { now(): number }): Tokens {
  const cache = new Map<string, CachedToken>()
  const pending = new Map<string, Promise<TokenAnswer>>()

  const fresh: Tokens['fresh'] = async (call, base) => {
    const requestedAt = clock.now()
    const read = readToken(await requestToken(call, base))
    if ('code' in read) return read
    cache.set(keyOf(call, base), { token: read.token, until: requestedAt + read.lifeMs - MARGIN_MS })
    return { token: read.token }
  }

  return {
    fresh,
    get(call, base) {
      const key = keyOf(call, base)
      const cached = cache.get(key)
      if (cached && cached.until > clock.now()) return Promise.resolve({ token: cached.token })
      const request = pending.get(key) ?? fresh(call, base).finally(() => pending.delete(key))
      pending.set(key, request)
      return request
    },
    drop(call, base, token) {
      const key = keyOf(call, base)
      // another call may have cached a new one meanwhile
      if (cache.get(key)?.token === token) cache.delete(key)
    },
  }
}

const credentials = ({ service: { fields } }: ServiceCall) =>
  `${fields['client_id'] ?? ''}:${fields['client_secret'] ?? ''}`

/** A changed secret gives another key, so that its old token is not used any more. */
const keyOf = (call: ServiceCall, base: string) =>
  createHash('sha256')
    .update(`${base}\n${credentials(call)}`)
    .digest('base64')

const requestToken = (call: ServiceCall, base: string): Promise<HttpAnswer> =>
  call.http({
    method: 'POST',
    url: `${base}/v1/oauth2/token`,
    headers: { authorization: `Basic ${Buffer.from(credentials(call)).toString('base64')}` },
    form: { grant_type: 'client_credentials' },
  })

const refusals: Partial<Record<number, ErrorCode>> = {
  400: 'invalid_service_credentials',
  401: 'invalid_service_credentials',
  403: 'insufficient_service_permissions',
  429: 'service_rate_limit',
}

function readToken(
  answer: HttpAnswer,
): { token: string; lifeMs: number } | { code: ErrorCode; reason: string } {
  if (answer.lost) return { code: 'service_network_error', reason: answer.reason }
  const { status, body } = answer
  if (status !== 200)
    return {
      code: refusals[status] ?? 'service_error',
      reason: typeof body['error'] === 'string' ? body['error'] : `HTTP ${status}`,
    }
  const { access_token: token, expires_in: seconds } = body
  if (typeof token !== 'string' || token === '' || typeof seconds !== 'number')
    return { code: 'invalid_service_response', reason: 'no token' }
  return { token, lifeMs: seconds * 1000 }
}
