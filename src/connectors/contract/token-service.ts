import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import type { CardForCall } from './call.ts'

export type TokenHttp = (request: HttpRequest) => Promise<HttpAnswer>

/** A request for a network token. */
export interface TokenRequest {
  /** Railyard's id of the token: a repeated request gets the same token, and no second one is made. */
  id: string
  card: CardForCall
  /** The token requestor ids that the scheme gave the merchant account. */
  requestor: { id: string; appId: string }
  merchantInitiated: boolean
  isSubsequentPayment: boolean
  /** Where the token service reports that the scheme changed the token. */
  notificationUrl: string
}

/** A token as its scheme has it. */
export interface SchemeToken {
  status: 'active' | 'suspended' | 'deleted'
  number: string
  /** `MM/YY`. */
  expirationDate: string
}

/**
 * `refused`: it was not done, and asking again would not help. `unknown`: it may have been done; Railyard
 * asks again.
 */
export type TokenAnswer<T> =
  | { status: 'done'; value: T }
  | { status: 'refused'; reason: string }
  | { status: 'unknown'; reason: string }

/**
 * The schemes' token services (EMV Payment Tokenisation), which give a merchant its own number for a card. No
 * member throws.
 */
export interface TokenService {
  /** The schemes whose cards have tokens. */
  schemes: readonly string[]
  provision(http: TokenHttp, request: TokenRequest): Promise<TokenAnswer<SchemeToken>>
  find(http: TokenHttp, id: string): Promise<TokenAnswer<SchemeToken>>
  suspend(http: TokenHttp, id: string): Promise<TokenAnswer<SchemeToken>>
  resume(http: TokenHttp, id: string): Promise<TokenAnswer<SchemeToken>>
  /** Also for a request whose answer was lost: its token is not made any more. */
  delete(http: TokenHttp, id: string): Promise<TokenAnswer<null>>
  /** A cryptogram for one payment. `eci`: two digits, or null. */
  cryptogram(
    http: TokenHttp,
    id: string,
    merchantInitiated: boolean,
  ): Promise<TokenAnswer<{ cryptogram: string; eci: string | null }>>
}
