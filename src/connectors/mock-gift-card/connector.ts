import type { GiftCardConnector, GiftCardLookup, GiftCardOutcome } from '../contract/gift-card-connector.ts'
import { simulatorBooks } from '../wire/simulator-books.ts'
import { simulatorRequest } from '../wire/simulator-request.ts'
import { readResult, toBalance, toOutcome } from './answer.ts'
import { definition } from './definition.ts'

/** `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/gift-card`. */
export function mockGiftCard(baseUrl: string): GiftCardConnector {
  const request = simulatorRequest(baseUrl, { header: 'x-api-key', field: 'api_key' })
  const send = async (call: GiftCardLookup, path: string, body: unknown): Promise<GiftCardOutcome> =>
    toOutcome(call, await call.http(request(call, 'POST', path, body, call.operation.id)))
  const redemptionPath = (id: string) => `/redemptions/${encodeURIComponent(id)}`

  return {
    definition,
    balance: async (call, { number, pin }) =>
      toBalance(await call.http(request(call, 'POST', '/balance', { number, pin }))),
    operations: {
      redeem: (call) => {
        const { card, amount, currency } = call.operation
        return send(call, '/redemptions', { ...card, amount, currency })
      },
      reverse: (call) => send(call, `${redemptionPath(call.operation.redemption)}/reverse`, {}),
      refund: (call) => {
        const { amount, currency } = call.operation
        return send(call, `${redemptionPath(call.operation.redemption)}/refunds`, { amount, currency })
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
    ...simulatorBooks(request, readResult),
  }
}
