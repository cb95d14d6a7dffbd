import { readSessionForPayment } from '../../../src/checkout/sessions/checkout-session.store.ts'
import { takeSecurityCode } from '../../../src/vault/secrets/security-code.ts'
import type { Answer, Client, TestRailyard } from '../railyard.ts'

export const HOUR = 3_600_000

export const fields = {
  method: 'card',
  number: '4111111111111111',
  expiration_date: '12/35',
  security_code: '123',
}

/** The checkout sessions of a merchant, and what a buyer’s browser does with them. */
export function sessionsOf(railyard: TestRailyard, merchant: Client) {
  const open = async (body?: unknown): Promise<string> =>
    (await merchant.post('/checkout/sessions', body)).body.id

  const read = (id: string) => merchant.get(`/checkout/sessions/${id}`)

  const readForPayment = (id: string) => readSessionForPayment(railyard.world, merchant.account, id)

  const codeOf = (id: string) => takeSecurityCode(railyard.world, merchant.account, id)

  /** A request of a buyer's browser: from another origin, with nothing but the session's id. */
  const browser = (method: string, path: string, body?: unknown): Promise<Answer> =>
    railyard.send(method, `/checkout/sessions/${path}`, {
      headers: {
        origin: 'https://shop.example',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  const enter = (id: string, payment_method: unknown = fields, more = {}) =>
    browser('PUT', `${id}/fields`, { payment_method, ...more })

  return { open, read, readForPayment, codeOf, browser, enter }
}
