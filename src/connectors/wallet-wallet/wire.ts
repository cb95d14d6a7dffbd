import { hasLiveCredentialsInSandbox, LIVE_CREDENTIALS_MESSAGE } from '../account-environment.ts'
import type { Call, ServiceCall } from '../connector.ts'
import type { HttpAnswer, HttpRequest } from '../http-message.ts'
import { baseUrl, isSimulated } from './environment.ts'
import type { TokenAnswer, Tokens } from './oauth.ts'

/** A request to the provider's API. */
export interface WalletRequest {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
}

/** What came back; `token` where none could be had, so that nothing was sent. */
export type Reply = { refused: Exclude<TokenAnswer, { token: string }> } | { refused: null; answer: HttpAnswer }

export interface Wire {
  /** Sends under the operation's id as the idempotency key. */
  send(call: Call, asked: WalletRequest): Promise<Reply>
  freshToken(call: ServiceCall): Promise<TokenAnswer>
  /** Where this service's account is. */
  base(call: ServiceCall): string
}

export function openWire(sandboxUrl: string | undefined, tokens: Tokens): Wire {
  const base: Wire['base'] = ({ service }) => baseUrl(sandboxUrl, service)
  // without a token no request is sent
  const token = async (call: ServiceCall, from: 'get' | 'fresh'): Promise<TokenAnswer> =>
    hasLiveCredentialsInSandbox(call.service.fields, sandboxUrl !== undefined)
      ? { code: 'invalid_service_configuration', reason: LIVE_CREDENTIALS_MESSAGE }
      : tokens[from](call, base(call))
  return {
    base,
    freshToken: (call) => token(call, 'fresh'),
    async send(call, asked) {
      const at = base(call)
      const first = await sendWithToken(call, asked, at)
      if (first.refused || first.answer.lost || first.answer.status !== 401) return first
      // nothing is done for a token that is not good: the same request may be sent again
      tokens.drop(call, at, first.token)
      return sendWithToken(call, asked, at)
    },
  }

  async function sendWithToken(call: Call, asked: WalletRequest, at: string): Promise<Reply & { token: string }> {
    const answer = await token(call, 'get')
    if ('code' in answer) return { refused: answer, token: '' }
    return { refused: null, token: answer.token, answer: await call.http(request(call, asked, at, answer.token)) }
  }
}

const request = ({ service, operation }: Call, { method, path, body }: WalletRequest, base: string, token: string): HttpRequest => ({
  method,
  url: `${base}${path}`,
  headers: {
    authorization: `Bearer ${token}`,
    ...(method === 'POST' && { 'paypal-request-id': operation.id, prefer: 'return=representation' }),
    // what a merchant enters at the provider, the simulator is told with each request
    ...(isSimulated(service.fields) && simulatedWebhook(service)),
  },
  ...(body !== undefined && { body }),
})

const simulatedWebhook = ({ notificationUrl, fields }: Call['service']) => ({
  'x-sandbox-webhook-url': notificationUrl,
  ...(fields['webhook_id'] && { 'x-sandbox-webhook-id': fields['webhook_id'] }),
})
