import { randomUUID } from 'node:crypto'
import { afterEach } from 'vitest'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { FaultItem } from '../faults/fault.schema.ts'
import { type SimulatorOptions, startSimulator } from '../simulator.ts'
import type { Result } from './operation.ts'
import type { Payment } from './payment.ts'

export const cardNumber = '4111111111111111'

/** A response in one of several shapes; a test's expectation says which. */
export type Body = Partial<Omit<Result, 'status'>> & {
  status?: string
  message?: string
  session_id?: string
  client_id?: string
  merchant_id?: string
}

export interface Answered {
  status: number
  body: Body
}

export interface BooksView {
  operations: (Result & { payment_service_id: string })[]
  payments: Payment[]
  attempts: Record<string, number>
  closed: string[]
}

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of running.splice(0)) await close()
})

/** Starts a simulator that ends with the test, and returns a client for it. */
export async function openSimulator(options: Partial<SimulatorOptions> = {}) {
  const simulator = await startSimulator({ clock: systemClock, ...options })
  running.push(simulator.close)
  return simulatorClient(simulator.url)
}

export type SimulatorClient = ReturnType<typeof simulatorClient>

export function simulatorClient(url: string, service: string = randomUUID(), merchant = 'merchant-1') {
  async function text(method: string, path: string, body?: unknown, key?: string) {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-merchant-id': merchant,
        'content-type': 'application/json',
        ...(key && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.text() }
  }
  async function json<T = Body>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<{ status: number; body: T }> {
    const answer = await text(method, path, body, key)
    return { status: answer.status, body: JSON.parse(answer.body) }
  }
  const base = `/card/${service}`
  const post = (path: string, body: unknown, key: string = randomUUID()) =>
    json('POST', `${base}${path}`, body, key)
  const card = { number: cardNumber, expiration_date: '12/35', security_code: '123' }
  return {
    url,
    service,
    text: (method: string, path: string, body?: unknown, key?: string) =>
      text(method, `${base}${path}`, body, key),
    post,
    pay: (body: object, key?: string) =>
      post('/payments', { kind: 'authorize', currency: 'EUR', card, ...body }, key),
    authorize: async (amount: number, more: object = {}) => {
      const { body } = await post('/payments', { kind: 'authorize', currency: 'EUR', card, amount, ...more })
      return body.payment_id ?? ''
    },
    sale: async (amount: number) =>
      (await post('/payments', { kind: 'sale', currency: 'EUR', card, amount })).body.payment_id ?? '',
    capture: (payment: string, amount: number, final = true, key?: string) =>
      post(`/payments/${payment}/captures`, { amount, final }, key),
    void: (payment: string, key?: string) => post(`/payments/${payment}/void`, {}, key),
    cancel: (payment: string, key?: string) => post(`/payments/${payment}/cancel`, {}, key),
    increment: (payment: string, amount: number, key?: string) =>
      post(`/payments/${payment}/increments`, { amount }, key),
    refund: (payment: string, amount: number, key?: string) =>
      post(`/payments/${payment}/refunds`, { amount }, key),
    payout: (amount: number, key?: string) => post('/payouts', { amount, currency: 'EUR', card }, key),
    find: (key: string) => json('GET', `${base}/operations/${key}`),
    close: (key: string) => json('POST', `${base}/operations/${key}/close`),
    account: () => json('GET', `${base}/account`),
    session: (body: object) => json<Record<string, unknown>>('POST', `${base}/sessions`, body),
    books: async () => (await json<BooksView>('GET', '/books')).body,
    approvedTotals: async () =>
      (await json<{ count: number; amount: number }>('GET', '/books/approved')).body,
    booked: (key: string) => json<Body & { attempts?: number }>('GET', `/books/operations/${key}`),
    payment: async (id: string) =>
      (await json<BooksView>('GET', '/books')).body.payments.find(({ payment_id }) => payment_id === id),
    setFaults: (...items: FaultItem[]) => json('PUT', '/faults', { items }),
    putFaults: (body: unknown) => json('PUT', '/faults', body),
    faults: async () =>
      (await json<{ items: (FaultItem & { struck: number })[] }>('GET', '/faults')).body.items,
  }
}

/** A clock that stands still until the test advances it. */
export function frozenClock(start = Date.UTC(2030, 0, 1)): Clock & { forward(milliseconds: number): void } {
  let now = start
  return {
    now: () => now,
    forward(milliseconds) {
      now += milliseconds
    },
  }
}

export const days = (count: number) => count * 24 * 60 * 60 * 1000
