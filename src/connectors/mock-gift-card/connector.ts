import type { GiftCardConnector, GiftCardFinding, GiftCardLookup, GiftCardOutcome, GiftCardServiceCall } from '../gift-card-connector.ts'
import type { HttpRequest } from '../http-message.ts'
import { readResult, toBalance, toOutcome } from './answer.ts'
import { definition } from './definition.ts'

/** `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/gift-card`. */
export function mockGiftCard(baseUrl: string): GiftCardConnector {
  const request = ({ service }: GiftCardServiceCall, method: HttpRequest['method'], path: string, body?: unknown, key?: string): HttpRequest => ({
    method,
    url: `${baseUrl}/${service.id}${path}`,
    headers: { 'x-api-key': service.fields['api_key'] ?? '', ...(key && { 'idempotency-key': key }) },
    ...(body !== undefined && { body }),
  })
  const send = async (call: GiftCardLookup, path: string, body: unknown): Promise<GiftCardOutcome> =>
    toOutcome(call, await call.http(request(call, 'POST', path, body, call.operation.id)))
  const redemption = (id: string) => `/redemptions/${encodeURIComponent(id)}`

  const look = async (call: GiftCardLookup, method: HttpRequest['method'], path: string): Promise<GiftCardFinding> => {
    const answer = await call.http(request(call, method, path, method === 'POST' ? {} : undefined))
    if (answer.lost) return 'unsure'
    if (answer.status === 404) return method === 'GET' ? 'absent' : 'unsure'
    if (answer.status !== 200) return 'unsure'
    if (answer.body['status'] === 'closed' && answer.body['key'] === call.operation.id) return 'absent'
    const found = readResult(call, answer.body)
    return found.status === 'unknown' ? 'unsure' : { found }
  }

  return {
    definition,
    balance: async (call, { number, pin }) => toBalance(await call.http(request(call, 'POST', '/balance', { number, pin }))),
    operations: {
      redeem: (call) => {
        const { card, amount, currency } = call.operation
        return send(call, '/redemptions', { ...card, amount, currency })
      },
      reverse: (call) => send(call, `${redemption(call.operation.redemption)}/reverse`, {}),
      refund: (call) => {
        const { amount, currency } = call.operation
        return send(call, `${redemption(call.operation.redemption)}/refunds`, { amount, currency })
      },
      activate: (call) => {
        const { card, amount, currency, reference } = call.operation
        return send(call, '/activations', { ...card, amount, currency, reference })
      },
      issue: (call) => {
        const { theme, amount, currency, reference } = call.operation
        return send(call, '/issuances', { theme, amount, currency, reference })
      },
    },
    find: (call) => look(call, 'GET', `/operations/${call.operation.id}`),
    close: (call) => look(call, 'POST', `/operations/${call.operation.id}/close`),
  }
}
