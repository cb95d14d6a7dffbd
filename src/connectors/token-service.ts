import type { CardForCall } from './connector.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'

export type TokenHttp = (request: HttpRequest) => Promise<HttpAnswer>

/** A token as it is asked for. */
export interface TokenRequest {
  /** Our id of the token, under which the token service knows it: asked again, it answers the same token and makes no second one. */
  id: string
  card: CardForCall
  /** Who asks: what the scheme has given the merchant account. */
  requestor: { id: string; appId: string }
  merchantInitiated: boolean
  isSubsequentPayment: boolean
  /** Where the token service tells that the scheme changed the token. */
  notificationUrl: string
}

/** A token as its scheme has it. */
export interface SchemeToken {
  status: 'active' | 'suspended' | 'deleted'
  number: string
  /** `MM/YY`. */
  expirationDate: string
}

/** `refused`: it was not done, and asking again would not help. `unknown`: it may have been; it is asked again. */
export type TokenAnswer<T> = { status: 'done'; value: T } | { status: 'refused'; reason: string } | { status: 'unknown'; reason: string }

/** The schemes' token services (EMV Payment Tokenisation): they give a merchant a number of its own for a card. None of these throws. */
export interface TokenService {
  /** The schemes whose cards have tokens. */
  schemes: readonly string[]
  provision(http: TokenHttp, request: TokenRequest): Promise<TokenAnswer<SchemeToken>>
  find(http: TokenHttp, id: string): Promise<TokenAnswer<SchemeToken>>
  suspend(http: TokenHttp, id: string): Promise<TokenAnswer<SchemeToken>>
  resume(http: TokenHttp, id: string): Promise<TokenAnswer<SchemeToken>>
  /** Also of a token that was asked for and never answered: it is not made any more. */
  delete(http: TokenHttp, id: string): Promise<TokenAnswer<null>>
  /** For one payment. `eci`: two digits, or null. */
  cryptogram(http: TokenHttp, id: string, merchantInitiated: boolean): Promise<TokenAnswer<{ cryptogram: string; eci: string | null }>>
}
