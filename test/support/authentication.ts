import type { Signer } from '../../src/accounts/api-keys/private-key.ts'
import type { TestRailyard } from './railyard.ts'
import { card } from './railyard.ts'
import { goodClaims, signed } from './tokens.ts'

export const unauthorized = {
  type: 'error',
  code: 'unauthorized',
  status: 401,
  message: 'No valid API authentication found',
  details: [],
}

export const seconds = () => Math.floor(Date.now() / 1000)

export const payment = { amount: 10_00, currency: 'USD', payment_method: card }

/** Requests with tokens of any content. */
export function requestsWithTokens(railyard: TestRailyard) {
  const withToken = (token: string, path = '/transactions', headers = {}) =>
    railyard.send('GET', path, { headers: { authorization: `Bearer ${token}`, ...headers } })

  const statusWith = async (signer: Signer, claims: Record<string, unknown>) =>
    (await withToken(await signed(signer, goodClaims(claims)))).status

  return { withToken, statusWith }
}
