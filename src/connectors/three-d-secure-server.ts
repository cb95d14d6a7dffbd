import type { AuthenticationProof } from './authentication-proof.ts'
import type { CardForCall, Shipping } from './connector.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'

export type AuthenticationHttp = (request: HttpRequest) => Promise<HttpAnswer>

/** Who asks, as the card's scheme knows them (EMV 3DS 2.x, table A.1). */
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

/** The cardholder's browser, as the merchant's page saw it. */
export interface BrowserForCall {
  javascript_enabled: boolean
  java_enabled: boolean
  language: string
  color_depth: number
  screen_height: number
  screen_width: number
  /** Minutes, UTC minus local time. */
  time_zone_offset: number
  user_agent: string
  accept_header: string | null
  ip_address: string | null
}

/** What the sandbox's directory server and issuers are to answer (SEMANTICS §7.3). It travels as a message extension, and is never sent in production. */
export interface SimulatedOutcome {
  /** Message version; null: as without a scenario. */
  version: string | null
  authentication: 'Y' | 'N' | 'A' | 'R' | 'U' | 'C' | 'timeout'
  result: 'Y' | 'N' | 'timeout' | null
}

/** A cardholder's authentication as it is asked for. */
export interface AuthenticationRequest {
  /** Our operation's id, which is the `threeDSServerTransID`: asked again, the 3DS server answers the same authentication. */
  id: string
  card: Omit<CardForCall, 'securityCode'>
  /** In the smallest unit of `currency` (ISO 4217, letters). */
  amount: number
  currency: string
  profile: AcquirerProfile
  reason: 'payment' | 'recurring' | 'installment' | 'card_on_file' | 'verification'
  buyer: { name: string | null; email: string | null; billing: Shipping | null; shipping: Shipping | null }
  /** Null: the merchant did not tell. */
  browser: BrowserForCall | null
  /** Where the issuer's page sends the cardholder's browser afterwards (`notificationURL`). */
  notificationUrl: string
  simulated: SimulatedOutcome | null
}

/** An error message (`Erro`) of one of the parties, or of ours where nobody answered. */
export interface AuthenticationError {
  /** Three digits (EMV 3DS, table A.4). */
  code: string | null
  description: string | null
  detail: string | null
  /** Who noticed: `C` 3DS SDK, `S` 3DS server, `D` directory server, `A` ACS. */
  component: string | null
}

/** `challenge`: the cardholder's browser is to post `creq` (base64url) to `acsUrl`. `refused`: N, R or U. `error`: nobody can say. */
export type AuthenticationAnswer =
  | { status: 'authenticated' | 'refused'; proof: AuthenticationProof }
  | { status: 'challenge'; acsUrl: string; creq: string; proof: AuthenticationProof }
  | { status: 'error'; error: AuthenticationError }

/** `enrolled` false: the card's range takes part in no version that we speak, and there is nothing to ask. */
export type VersionAnswer = { status: 'known'; enrolled: boolean; version: string | null } | { status: 'error'; error: AuthenticationError }

/** What became of a challenge. `open`: the cardholder is still there, or never came. */
export type ChallengeResult =
  | Extract<AuthenticationAnswer, { status: 'authenticated' | 'refused' | 'error' }>
  | { status: 'open' }
  | { status: 'absent' }

/**
 * A 3-D Secure server (EMV 3DS 2.1.0, 2.2.0, 2.3.1): it speaks to the schemes' directory servers, and hears the issuers' results. None of these throws, and
 * each makes one HTTP request.
 */
export interface ThreeDSecureServer {
  /** Which version the card's range speaks. */
  versions(http: AuthenticationHttp, card: Pick<CardForCall, 'number' | 'scheme'>, simulated: SimulatedOutcome | null): Promise<VersionAnswer>
  /** AReq to ARes. */
  authenticate(http: AuthenticationHttp, request: AuthenticationRequest, version: string): Promise<AuthenticationAnswer>
  /** What the 3DS server knows of a challenge: the RReq that it got. `id` as in the request. */
  result(http: AuthenticationHttp, id: string): Promise<ChallengeResult>
}
