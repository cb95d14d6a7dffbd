import { expect } from 'vitest'
import type { Signer } from '../../src/accounts/api-keys/private-key.ts'
import { type Answer, type Client, card, mockCardService, type TestRailyard } from './railyard.ts'

type Body = Record<string, unknown>
type Headers = Record<string, string>

/** A merchant that takes payments, with the actions that tests use. */
export interface Shop extends Client {
  paymentServiceId: string
  /** Signs tokens with its key pair. */
  signer: Signer
  /** POST /transactions with a card that is always accepted; the amount decides (semantics §3.10). */
  pay(amount: number, more?: Body, headers?: Headers): Promise<Answer>
  /** The created payment; fails unless it was created. */
  authorized(amount: number, more?: Body): Promise<Payment>
  sold(amount: number, more?: Body): Promise<Payment>
  payment(id: string): Payment
}

/** A transaction and the merchant's actions on it. */
export interface Payment {
  id: string
  read(): Promise<Answer['body']>
  capture(body?: Body, headers?: Headers): Promise<Answer>
  void(headers?: Headers): Promise<Answer>
  cancel(): Promise<Answer>
  increment(amount: number, headers?: Headers): Promise<Answer>
  refund(body?: Body, headers?: Headers): Promise<Answer>
  refundAll(body?: Body): Promise<Answer>
  sync(): Promise<Answer>
  correct(body: Body): Promise<Answer>
  captures(): Promise<Answer['body'][]>
  refunds(): Promise<Answer['body'][]>
  /** The names of its events, oldest first. */
  timeline(): Promise<string[]>
}

export async function openShop(
  railyard: TestRailyard,
  options: Parameters<TestRailyard['merchant']>[0] = {},
): Promise<Shop> {
  const merchant = await railyard.merchant(options)
  const pay: Shop['pay'] = (amount, more = {}, headers) =>
    merchant.post('/transactions', { amount, currency: 'EUR', payment_method: card, ...more }, headers)
  const paid = async (amount: number, more: Body) => {
    const { status, body } = await pay(amount, more)
    expect({ status, body }).toMatchObject({ status: 201 })
    return payment(body.id)
  }
  const payment = (id: string): Payment => {
    const at = `/transactions/${id}`
    const items = async (path: string) => (await merchant.get(`${at}${path}`)).body.items
    return {
      id,
      read: async () => (await merchant.get(at)).body,
      capture: (body = {}, headers) => merchant.post(`${at}/capture`, body, headers),
      void: (headers) => merchant.post(`${at}/void`, undefined, headers),
      cancel: () => merchant.post(`${at}/cancel`),
      increment: (amount, headers) => merchant.post(`${at}/authorization/increment`, { amount }, headers),
      refund: (body = {}, headers) => merchant.post(`${at}/refunds`, body, headers),
      refundAll: (body) => merchant.post(`${at}/refunds/all`, body),
      sync: () => merchant.post(`${at}/sync`),
      correct: (body) => merchant.put(at, body),
      captures: () => items('/captures'),
      refunds: () => items('/refunds'),
      timeline: async () => (await items('/events')).map((event: { name: string }) => event.name).reverse(),
    }
  }
  return {
    ...merchant,
    pay,
    payment,
    authorized: (amount, more = {}) => paid(amount, more),
    sold: (amount, more = {}) => paid(amount, { intent: 'capture', ...more }),
  }
}

/** Adds another card payment service, tried after the existing ones. */
export async function addService(railyard: TestRailyard, shop: Client, more: Body = {}): Promise<string> {
  const answer = await railyard.admin.post(
    '/payment-services',
    mockCardService({ display_name: 'Second card', ...more }),
    { 'x-svc-merchant-account-id': shop.account },
  )
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.id
}

/** The body of a validation error (semantics §0.2), with the fields in error. */
export const invalidFields = (...pointers: string[]) => ({
  status: 400,
  body: {
    code: 'bad_request',
    message: 'Request failed validation',
    details: pointers.map((pointer) => ({ location: 'body', pointer })),
  },
})
