/** Railyard inside a merchant's own tests: everything that `@railyard/testing` offers. */

import type { Amounts } from './testing-amounts.d.cts'

export type { Amounts } from './testing-amounts.d.cts'

export interface StartOptions {
  /**
   * Absent or false: this handle is a merchant account of its own in one instance that all tests of this machine share, which is what makes a start quick.
   * True: an instance of its own, which ends with the handle; a start takes as long as the service does, some seconds.
   */
  isolated?: boolean
  /** Settings of an instance of its own, by their environment variables: `{ PROVIDER_TIMEOUT_MS: '200' }`. For `isolated` only. */
  settings?: Record<string, string>
}

/**
 * Starts Railyard, in memory and with simulated payment services, and opens a merchant account in it. In vitest and jest alike: the service runs in a
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
  /** Where the API listens, without a slash at the end. */
  readonly url: string
  /** The id of the merchant account. */
  readonly account: string
  /** The private key (PKCS #8, ES256) of the account, for code under test that signs its own tokens. */
  readonly privateKeyPem: string
  /** The `kid` of tokens that are signed with it. */
  readonly keyId: string
  /** The account's payment services: ids by those of their definitions. */
  readonly paymentServices: PaymentServices
  /** A card that is always accepted; what becomes of a payment, its amount decides. */
  readonly card: Card
  /** What becomes of a payment, by its amount: `amounts.declined.insufficientFunds`. */
  readonly amounts: Amounts
  /** What the account's webhooks tell. */
  readonly webhooks: Webhooks
  /** The account's time. */
  readonly clock: Clock
  /** How the account's payment services misbehave. */
  readonly faults: Faults
  /** A bearer token for the account. Absent scopes: all; it is good for an hour unless `expiresIn` says otherwise. */
  token(options?: TokenOptions): string
  /** What a request to the API needs: `fetch(`${railyard.url}/transactions`, { headers: railyard.headers })`. */
  readonly headers: { authorization: string; 'x-svc-merchant-account-id': string }
  get<Body = Json>(path: string, headers?: Record<string, string>): Promise<Answer<Body>>
  /** `body` is sent as JSON; an idempotency key is a header: `{ 'idempotency-key': 'order-1' }`. */
  post<Body = Json>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<Body>>
  put<Body = Json>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<Body>>
  delete<Body = Json>(path: string, headers?: Record<string, string>): Promise<Answer<Body>>
  /**
   * Has something happen to a transaction at the payment service, the card's issuer, the scheme or the buyer: `simulate(id, 'disputed', { amount: 500 })`.
   * `more` are members that the event takes (`POST /sandbox/transactions/{id}/simulate` in the API reference). Answers the transaction as it is then, and
   * throws where the event does not fit.
   */
  simulate(transactionId: string, event: SimulatedEventName, more?: Record<string, unknown>): Promise<Json>
  /** The account is told of nothing any more; an instance of its own is stopped. A test that forgets it does no harm: the process that ends takes it along. */
  close(): Promise<void>
}

/** What the API answered, whatever its status: a 4xx or 5xx is an answer, too. */
export interface Answer<Body = Json> {
  status: number
  /** Parsed JSON; undefined where there is none. */
  body: Body
  headers: Headers
}

/** JSON that a test reads as it likes. */
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
  /** What a browser's token pins: `{ amount: 1299, currency: 'EUR' }`; with the scope `embed`. */
  embed?: Record<string, unknown>
  /** The id of the checkout session that a browser's token is for. */
  checkoutSession?: string
}

/** An event as a webhook brings it. */
export interface WebhookEvent {
  type: 'event'
  /** The same in every attempt. */
  id: string
  /** `transaction.captured`, `refund.succeeded`. */
  name: string
  merchant_account_id: string
  created_at: string
  /** Counts the events of `target`, from 1. */
  sequence: number
  /** The resource as it was then. */
  target: { type: string; id: string; [member: string]: Json }
}

/** A receiver that is subscribed to the account's events from the start, and takes only what is signed with its secret. */
export interface Webhooks {
  readonly url: string
  /** What its deliveries are signed with. */
  readonly secret: string
  /**
   * The next event with this name, or of any where that is absent; each is answered once, oldest first, also one that came before. Where none comes
   * within `timeout` milliseconds (absent: 4000, less than tests may take as a rule), throws an error that lists what did come.
   */
  next(name?: string, options?: NextOptions): Promise<WebhookEvent>
  /** All events that came, in the order of their arrival; with a name, those of that name. One that was sent again is there once. */
  all(name?: string): WebhookEvent[]
}

export interface NextOptions {
  /** The id of the resource that it is about. */
  about?: string
  /** Milliseconds. */
  timeout?: number
}

export interface Clock {
  /**
   * Moves the account's time ahead by more than nothing, runs what falls due on the way (expiries, webhook retries, schedules), and answers the time it then
   * is. Other accounts' time stays as it is, and none goes back.
   */
  advance(by: Duration): Promise<Date>
  /** The same, up to a moment. */
  advanceTo(to: Date | string): Promise<Date>
  /** The account's time. */
  now(): Promise<Date>
}

/** Added up. */
export interface Duration {
  days?: number
  hours?: number
  minutes?: number
  seconds?: number
}

/** A way in which a payment service misbehaves. */
export interface Fault {
  /** What it strikes: `authorize`, `capture`, `refund`, `find`, …; `*`: everything. */
  operation: string
  /** `lost`: done, and the answer is lost. `error`: an error of the server. `outage`: nobody listens. `reset`, `malformed`, `empty`, `duplicate`, `delay`. */
  kind: string
  /** Which of the account's payment services. Absent: `mock-card`. */
  service?: keyof PaymentServices
  /** Milliseconds; `delay` needs it. */
  delay_ms?: number
  /** How often it strikes; absent: always. */
  times?: number
  /** From 0 to 1; absent: 1. */
  probability?: number
  /** Others that the sandbox knows (see its API reference, `PUT /sandbox/faults`). */
  [member: string]: unknown
}

export interface Faults {
  /** The account's payment services misbehave like this from now on, and in no other way. Other accounts' do not. */
  set(faults: readonly Fault[]): Promise<void>
  /** They are well again. */
  clear(): Promise<void>
}

/** A card that is always accepted. */
export const card: Card

/** What becomes of a payment, by its amount. */
export const amounts: Amounts
