/** Railyard inside a merchant's own tests: everything that `@railyard/testing` offers. */

import type { Railyard as Client, FaultItem } from '@railyard/client'
import type { Amounts } from './testing-amounts.d.cts'

export type { Amounts } from './testing-amounts.d.cts'

export interface StartOptions {
  /**
   * Absent or false: a merchant account of its own in one instance that all tests of this machine share; this makes a start quick.
   * True: an instance of its own, which ends with `close`; it takes some seconds to start.
   */
  isolated?: boolean
  /** With `isolated` only: settings of the instance, by their environment variables: `{ PROVIDER_TIMEOUT_MS: '200' }`. */
  settings?: Record<string, string>
}

/**
 * Starts Railyard, in memory and with simulated payment services, and opens a merchant account in it. It works in vitest and in jest: the service runs in a
 * process of its own, which ends a minute after the last test that used it.
 *
 * @example
 * const railyard = await startRailyard()
 * const { body } = await railyard.post('/transactions', { amount: 1299, currency: 'EUR', payment_method: railyard.card })
 * await railyard.close()
 */
export function startRailyard(options?: StartOptions): Promise<Railyard>

/** A merchant account of a running Railyard. */
export interface Railyard {
  /** A typed client of the API as this merchant: `client.transactions.create({ … })`. */
  readonly client: Client
  /**
   * Copies the instance as it is now, and answers this merchant's handle of the copy: with the same account, keys, payments, faults and time, at a `url` and
   * with `webhooks` of its own. Neither sees what happens to the other from then on. Prepare a state once, and fork it for each test. The first fork of a
   * process takes about a second, each further one some tens of milliseconds.
   */
  fork(): Promise<Railyard>
  /** Where the API listens, without a slash at the end. */
  readonly url: string
  /** The id of the merchant account. */
  readonly account: string
  /** The account's private key (PKCS #8, ES256), for code under test that signs its own tokens. */
  readonly privateKeyPem: string
  /** The `kid` of tokens that are signed with it. */
  readonly keyId: string
  /** The ids of the account's payment services, by the ids of their definitions. */
  readonly paymentServices: PaymentServices
  /** A card that is always accepted; the amount decides the outcome of a payment. */
  readonly card: Card
  /** Amounts, by the outcome of a payment: `amounts.declined.insufficientFunds`. */
  readonly amounts: Amounts
  /** The webhooks that the account sends. */
  readonly webhooks: Webhooks
  /** The account's time. */
  readonly clock: Clock
  /** Faults of the account's payment services. */
  readonly faults: Faults
  /** Signs a bearer token for the account. By default it has all scopes and expires in an hour. */
  token(options?: TokenOptions): string
  /** The headers that a request to the API needs: `fetch(`${railyard.url}/transactions`, { headers: railyard.headers })`. */
  readonly headers: { authorization: string; 'x-svc-merchant-account-id': string }
  get<Body = Json>(path: string, headers?: Record<string, string>): Promise<Answer<Body>>
  /** `body` is sent as JSON; an idempotency key is a header: `{ 'idempotency-key': 'order-1' }`. */
  post<Body = Json>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>>
  put<Body = Json>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<Body>>
  delete<Body = Json>(path: string, headers?: Record<string, string>): Promise<Answer<Body>>
  /**
   * Simulates an event at the payment service, the card's issuer, the scheme or the buyer: `simulate(id, 'disputed', { amount: 500 })`. `more` has further
   * members of the event (`POST /sandbox/transactions/{id}/simulate` in the API reference). Answers the transaction after the event; throws if the event does
   * not fit the transaction.
   */
  simulate(transactionId: string, event: SimulatedEventName, more?: Record<string, unknown>): Promise<Json>
  /** Ends the account's webhooks, and the forks of this handle; stops an isolated instance, and a fork. A test that forgets it does no harm: this happens when its process ends. */
  close(): Promise<void>
}

/** An answer of the API. A 4xx or 5xx is an answer, too, and does not throw. */
export interface Answer<Body = Json> {
  status: number
  /** Parsed JSON; undefined if the answer has no body. */
  body: Body
  headers: Headers
}

/** JSON of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: asserted by the test that reads it
export type Json = any

export type SimulatedEventName =
  | 'settled'
  | 'refund_settled'
  | 'disputed'
  | 'dispute_reversed'
  | 'completed'
  | 'declined'
  | 'failed'
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'card_updated'
  | 'card_closed'
  | 'token_suspended'
  | 'token_resumed'
  | 'token_deleted'
  | 'method_paused'
  | 'method_resumed'
  | 'method_authorization_updated'
  | 'method_authorization_update_required'
  | 'method_authorization_expiring'

export interface PaymentServices {
  'mock-card': string
  'wallet-wallet': string
  'bnpl-bnpl': string
}

export interface Card {
  readonly method: 'card'
  readonly number: string
  /** MM/YY. */
  readonly expiration_date: string
  readonly security_code: string
}

export interface TokenOptions {
  /** `transactions.read`, `*.write`, `embed`. Absent: `['*.read', '*.write']`. */
  scopes?: readonly string[]
  /** Seconds from now. Absent: 3600. */
  expiresIn?: number
  /** With the scope `embed`: the values that a browser's token fixes, such as `{ amount: 1299, currency: 'EUR' }`. */
  embed?: Record<string, unknown>
  /** The id of the checkout session that a browser's token is for. */
  checkoutSession?: string
}

/** An event as a webhook delivers it. */
export interface WebhookEvent {
  type: 'event'
  /** The same in every delivery of the event. */
  id: string
  /** `transaction.captured`, `refund.succeeded`. */
  name: string
  merchant_account_id: string
  created_at: string
  /** Counts the events of `target`, from 1. */
  sequence: number
  /** The resource at the time of the event. */
  target: { type: string; id: string; [member: string]: Json }
}

/** A receiver that is subscribed to the account's events from the start. It accepts only deliveries that are signed with its secret. */
export interface Webhooks {
  readonly url: string
  /** Signs the deliveries. */
  readonly secret: string
  /**
   * Waits for the next event with this name, or with any name if it is absent. Each event is answered once, oldest first, also one that has arrived already.
   * Throws after `timeout` milliseconds (default 4000, less than most test runners allow) with a list of the events that have arrived.
   */
  next(name?: string, options?: NextOptions): Promise<WebhookEvent>
  /** All events that have arrived, in order; with a name, those with that name. An event that was delivered twice is listed once. */
  all(name?: string): WebhookEvent[]
}

export interface NextOptions {
  /** The id of the resource that the event is about. */
  about?: string
  /** Milliseconds. */
  timeout?: number
}

export interface Clock {
  /**
   * Moves the account's clock ahead, runs what falls due on the way (expiries, webhook retries, schedules), and answers the account's new time. The duration
   * must be positive: a clock cannot go back. Other accounts' clocks stay as they are.
   */
  advance(by: Duration): Promise<Date>
  /** Moves the account's clock ahead to this time. */
  advanceTo(to: Date | string): Promise<Date>
  /** The account's time. */
  now(): Promise<Date>
}

/** The sum of its members. */
export interface Duration {
  days?: number
  hours?: number
  minutes?: number
  seconds?: number
}

/** A failure that a simulated payment service shows: its `operation`, its `kind`, and what the kind needs (docs/reference/faults.md). */
export interface Fault extends Omit<FaultItem, 'payment_service_id'> {
  /** The payment service that fails. Absent: `mock-card`. */
  service?: keyof PaymentServices
}

export interface Faults {
  /** Replaces the faults of the account's payment services. Other accounts are not affected. */
  set(faults: readonly Fault[]): Promise<void>
  /** Removes the faults of the account's payment services. */
  clear(): Promise<void>
}

/** A card that is always accepted. */
export const card: Card

/** Amounts, by the outcome of a payment. */
export const amounts: Amounts
