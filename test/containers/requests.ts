import { randomUUID } from 'node:crypto'

const card = { method: 'card', number: '4111111111111111', expiration_date: '12/35', security_code: '123' }

export interface Answer {
  status: number
  body: { id?: string; status?: string; amount?: number }
}

/** A payment of 12.99 with a test card, under an idempotency key of its own. */
export const pay = (url: string, token: string): Promise<Answer> =>
  ask(url, token, '/transactions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ amount: 1299, currency: 'USD', country: 'US', payment_method: card }),
  })

export const readPayment = (url: string, token: string, id: string): Promise<Answer> =>
  ask(url, token, `/transactions/${id}`, {})

async function ask(
  url: string,
  token: string,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...init.headers }
  const answer = await fetch(`${url}${path}`, { ...init, headers, signal: AbortSignal.timeout(30_000) })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}
