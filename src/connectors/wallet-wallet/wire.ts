import type { ServiceCall } from '../contract/call.ts'
import { hasLiveCredentialsInSandbox, LIVE_CREDENTIALS_MESSAGE } from '../wire/account-environment.ts'
import type { HttpAnswer, HttpRequest, Part } from '../wire/http-message.ts'
import { baseUrl, isSimulated } from './environment.ts'
import type { TokenAnswer, Tokens } from './oauth.ts'

/** A request to the provider's API. `key`: its idempotency key; absent: it may be made again at any time. */
export interface WalletRequest {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: unknown
  parts?: readonly Part[]
  key?: string
}

/** The answer; or the reason why no token was granted, so that nothing was sent. */
export type Reply =
  | { refused: Exclude<TokenAnswer, { token: string }> }
  | { refused: null; answer: HttpAnswer }

export interface Wire {
  send(call: ServiceCall, request: WalletRequest): Promise<Reply>
  freshToken(call: ServiceCall): Promise<TokenAnswer>
  /** The base URL for this service. */
  base(call: ServiceCall): string
  /** Milliseconds since the epoch. */
  now(): number
}

export function openWire(sandboxUrl: string | undefined, tokens: Tokens, clock: { now(): number }): Wire {
  const base: Wire['base'] = ({ service }) => baseUrl(sandboxUrl, service)
  const token = async (call: ServiceCall, from: 'get' | 'fresh'): Promise<TokenAnswer> =>
    hasLiveCredentialsInSandbox(call.service.fields, sandboxUrl !== undefined)
      ? { code: 'invalid_service_configuration', reason: LIVE_CREDENTIALS_MESSAGE }
      : tokens[from](call, base(call))
  return {
    base,
    now: () => clock.now(),
    freshToken: (call) => token(call, 'fresh'),
    async send(call, request) {
      const url = base(call)
      const first = await sendWithToken(call, request, url)
      if (first.refused || first.answer.lost || first.answer.status !== 401) return first
      // the provider does nothing for an invalid token, so the same request may be sent again
      tokens.drop(call, url, first.token)
      return sendWithToken(call, request, url)
    },
  }

  async function sendWithToken(
    call: ServiceCall,
    request: WalletRequest,
    url: string,
  ): Promise<Reply & { token: string }> {
    const answer = await token(call, 'get')
    if ('code' in answer) return { refused: answer, token: '' }
    return {
      refused: null,
      token: answer.token,
      answer: await call.http(requestWithToken(call, request, url, answer.token)),
    }
  }
}

const requestWithToken = (
  { service }: ServiceCall,
  { method, path, body, parts, key }: WalletRequest,
  base: string,
  token: string,
): HttpRequest => ({
  method,
  url: `${base}${path}`,
  headers: {
    authorization: `Bearer ${token}`,
    ...(key !== undefined && { 'paypal-request-id': key, prefer: 'return=representation' }),
    // the simulator gets with each request what a merchant enters in the provider's portal
    ...(isSimulated(service.fields) && simulatedWebhook(service)),
  },
  ...(body !== undefined && { body }),
  ...(parts && { parts }),
})

const simulatedWebhook = ({ notificationUrl, fields }: ServiceCall['service']) => ({
  'x-sandbox-webhook-url': notificationUrl,
  ...(fields['webhook_id'] && { 'x-sandbox-webhook-id': fields['webhook_id'] }),
})
