import type { Telemetry } from './telemetry.ts'
import type { PrivateKey } from './token/private-key.ts'

export interface RailyardOptions {
  /** Where Railyard is, such as `https://payments.shop.example`. */
  baseUrl: string
  /** The private key of an API key pair; requests are signed with it. For servers only. */
  privateKey?: PrivateKey | undefined
  /** A token, or a function that answers one for each request: for browsers, in place of the private key. */
  token?: string | (() => string | Promise<string>) | undefined
  /** The merchant account to act on. Absent: the only one that the key may act on, else `default`. */
  merchantAccount?: string | undefined
  /** What the signed tokens may do. By default all that the key may: `['*.read', '*.write']`. */
  scopes?: readonly string[] | undefined
  /** How long a signed token is valid, in seconds: 300 by default. */
  tokenLifetime?: number | undefined
  /** In place of the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** How long one attempt may take, in milliseconds: 60,000 by default. */
  timeout?: number | undefined
  /** How often a request is sent again where that is safe: 3 times by default. */
  retries?: number | undefined
  /** Called for each attempt. */
  telemetry?: Telemetry | undefined
}

/** The options of one request. */
export interface RequestOptions {
  /** Names this request: sent again under the same key, it is carried out once. By default a new UUID for each POST. */
  idempotencyKey?: string | undefined
  /** The merchant account to act on. */
  merchantAccount?: string | undefined
  /** Ends the request, and its retries. It may have been carried out. */
  signal?: AbortSignal | undefined
  /** How long one attempt may take, in milliseconds. */
  timeout?: number | undefined
  /** How often it is sent again where that is safe. */
  retries?: number | undefined
  /** Another resource as the answer, such as `resource=transaction-capture`. */
  prefer?: string | undefined
}
