import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import type { AuthenticationProof } from './authentication-proof.ts'
import type { BrowserForCall, CardForCall, Shipping } from './call.ts'

export type AuthenticationHttp = (request: HttpRequest) => Promise<HttpAnswer>

/** The merchant, as the card's scheme knows it (EMV 3DS 2.x, table A.1). */
export interface AcquirerProfile {
  merchant_acquirer_bin: string
  merchant_acquirer_id: string
  merchant_name: string
  /** ISO 3166-1 numeric, e.g. `840`. */
  merchant_country_code: string
  /** Merchant category code, four digits. */
  merchant_category_code: string
  merchant_url: string
}

/**
 * Sandbox: the answers that the directory server and the issuer give (semantics §7.3). It is sent as a
 * message extension, and never in production.
 */
export interface SimulatedOutcome {
  /** Message version; null: the one without a scenario. */
  version: string | null
  authentication: 'Y' | 'N' | 'A' | 'R' | 'U' | 'C' | 'timeout'
  result: 'Y' | 'N' | 'timeout' | null
}

/** A request to authenticate a cardholder. */
export interface AuthenticationRequest {
  /**
   * The `threeDSServerTransID`: the 3DS server answers a repeated request with the same authentication. It is
   * the operation's id, or that of the 3DS method that ran before.
   */
  id: string
  /**
   * The 3DS method, a page of the issuer that sees the cardholder's browser before (`threeDSCompInd`): `Y` it
   * has told its end, `N` it has not, `U` the card's range has none.
   */
  methodCompletion: 'Y' | 'N' | 'U'
  card: Omit<CardForCall, 'securityCode'>
  /** In the smallest unit of `currency` (ISO 4217, letters). */
  amount: number
  currency: string
  profile: AcquirerProfile
  reason: 'payment' | 'recurring' | 'installment' | 'card_on_file' | 'verification'
  buyer: { name: string | null; email: string | null; billing: Shipping | null; shipping: Shipping | null }
  /** Null: the merchant did not send it. */
  browser: BrowserForCall | null
  /** Where the issuer's page sends the cardholder's browser afterwards (`notificationURL`). */
  notificationUrl: string
  simulated: SimulatedOutcome | null
}

/** An error message (`Erro`) of one of the parties, or Railyard's own if there was no answer. */
export interface AuthenticationError {
  /** Three digits (EMV 3DS, table A.4). */
  code: string | null
  description: string | null
  detail: string | null
  /** The party that found the error: `C` 3DS SDK, `S` 3DS server, `D` directory server, `A` ACS. */
  component: string | null
}

/**
 * `challenge`: the cardholder's browser posts `creq` (base64url) to `acsUrl`. `refused`: N, R or U. `error`:
 * there is no result.
 */
export type AuthenticationAnswer =
  | { status: 'authenticated' | 'refused'; proof: AuthenticationProof }
  | { status: 'challenge'; acsUrl: string; creq: string; proof: AuthenticationProof }
  | { status: 'error'; error: AuthenticationError }

/**
 * `enrolled` is false if the card's range supports no version that Railyard speaks; then there is no
 * authentication to request. `methodUrl`: the page of the issuer that sees the cardholder's browser before an
 * authentication (3DS method); null: there is none.
 */
export type VersionAnswer =
  | { status: 'known'; enrolled: boolean; version: string | null; methodUrl: string | null }
  | { status: 'error'; error: AuthenticationError }

/** The result of a challenge. `open`: the cardholder has not finished, or never came. */
export type ChallengeResult =
  | Extract<AuthenticationAnswer, { status: 'authenticated' | 'refused' | 'error' }>
  | { status: 'open' }
  | { status: 'absent' }

/**
 * A 3-D Secure server (EMV 3DS 2.1.0, 2.2.0, 2.3.1), which talks to the schemes' directory servers and
 * receives the issuers' results. No member throws, and each makes one HTTP request.
 */
export interface ThreeDSecureServer {
  /** The highest version that the card's range supports, and its 3DS method. */
  versions(
    http: AuthenticationHttp,
    card: Pick<CardForCall, 'number' | 'scheme'>,
    simulated: SimulatedOutcome | null,
  ): Promise<VersionAnswer>
  /** Sends an AReq and reads the ARes. */
  authenticate(
    http: AuthenticationHttp,
    request: AuthenticationRequest,
    version: string,
  ): Promise<AuthenticationAnswer>
  /**
   * The result of a challenge: the RReq that the 3DS server received. `id` is that of the authentication
   * request.
   */
  result(http: AuthenticationHttp, id: string): Promise<ChallengeResult>
}
