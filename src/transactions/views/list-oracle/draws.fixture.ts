import { card } from '../../../../test/support/railyard.ts'

export type Body = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, which the predicates below read
export type ApiAnswer = any

/**
 * A payment as its merchant knows it: the API's answer, and what the merchant sent and the API does not
 * answer.
 */
export interface KnownPayment {
  shown: ApiAnswer
  refunds: ApiAnswer[]
  /** Whether an operation of it has no known outcome. */
  unknown: boolean
  ip: string | null
  link: string | null
}

export const SEED = 20_240_611
export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

/**
 * Mulberry32, a pseudo-random generator: the same payments in every run. Returns a function that draws from a
 * pool.
 */
export function drawWith(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return <T>(pool: readonly T[]): T => pool[Math.floor(next() * pool.length)] as T
}
export const draw = drawWith(SEED)

export const numbers = [
  '4111111111111111',
  '5555555555554444',
  '378282246310005',
  '3530111333300000',
  '4000002500000003',
]
export const ips = ['203.0.113.9', '198.51.100.1', null]
export const guests: (Body | undefined)[] = [
  undefined,
  {
    display_name: 'Ada Lovelace',
    external_identifier: 'guest-1',
    account_number: 'A-1',
    billing_details: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email_address: 'Ada@Example.com',
      phone_number: '+4930123456',
      tax_id: { value: 'DE123456789', kind: 'eu.vat' },
      address: {
        line1: 'Main Street 1',
        line2: 'Back house',
        house_number_or_name: '1',
        city: 'Berlin',
        postal_code: '10115',
        country: 'DE',
      },
    },
  },
  {
    billing_details: {
      first_name: 'Ada',
      email_address: 'ada@example.com',
      address: { state: 'Ohio', state_code: 'US-OH', country: 'US' },
    },
  },
  {
    external_identifier: 'guest-2',
    billing_details: { last_name: 'Berlin', address: { organization: 'Ada Ltd' } },
  },
]
export const sources: Body[] = [
  {},
  { payment_source: 'moto' },
  { payment_source: 'recurring', merchant_initiated: true, is_subsequent_payment: true },
  { payment_source: 'card_on_file', merchant_initiated: true },
  { payment_source: 'card_on_file', is_subsequent_payment: true },
]
export const byBuyer = {
  payment_source: 'ecommerce',
  merchant_initiated: false,
  is_subsequent_payment: false,
}
export const metadata: (Record<string, string> | undefined)[] = [
  undefined,
  { shelf: '7' },
  { shelf: '7', row: 'b' },
  { row: 'b', shelf: '8' },
  {},
]

/** The members that vary from payment to payment in every story. */
export const terms = (services: readonly string[]): Body => ({
  currency: draw(['EUR', 'USD']),
  country: draw(['US', 'DE', undefined]),
  external_identifier: draw(['order-1', 'order-2', undefined]),
  metadata: draw(metadata),
  buyer: draw(guests),
  payment_service_id: draw([...services, undefined]),
})
export const cardTerms = (services: readonly string[]): Body => ({
  ...terms(services),
  ...draw(sources),
  payment_method: { ...card, number: draw(numbers) },
})
export const amount = () => draw([5_00, 12_00, 12_01, 42_00])
