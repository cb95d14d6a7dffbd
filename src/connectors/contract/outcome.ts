import type { Shipping } from './call.ts'
import { type ErrorCode, errorCodes } from './error-codes.ts'

/** The details of an outcome. Raw codes are the payment service's own; the others are the card schemes'. */
export interface ResponseDetails {
  raw_response_code?: string | null
  raw_response_description?: string | null
  auth_response_code?: string | null
  iso_response_code?: string | null
  avs_response_code?: string | null
  cvv_response_code?: string | null
  scheme_transaction_id?: string | null
  /** Mastercard's id that links the payments of one agreement. */
  transaction_link_id?: string | null
  merchant_advice_code?: string | null
}

/** The payment service's own ids. */
export interface References {
  /** Of this operation, such as a capture or a refund. */
  operation?: string
  /**
   * Of the payment that later operations act on. Before the buyer has approved: of the order or session that
   * the buyer sees.
   */
  transaction?: string
  /**
   * Further ids that later calls need and that merchants see (`additional_identifiers`), e.g. of the
   * authorization or the payer.
   */
  identifiers?: Record<string, string>
}

/**
 * How the buyer approves: the buyer is sent to `url`, or the merchant's page runs the payment service's
 * script with `sessionData`.
 */
export interface Approval {
  url: string | null
  /** The response of a session exchange (API §4.11); null in a redirect flow. */
  sessionData: Record<string, unknown> | null
}

/** What the payment service reports when the buyer has approved. */
export interface BuyerApproval {
  /** The credential with which the authorization or sale is made; it can be used once. */
  token?: string
  /** The shipping address that the buyer chose; absent where the buyer had no choice. */
  shipping?: Shipping
}

/** What a provider tells of a card that it stores. Absent: it does not tell, and what the client sent counts. */
export interface StoredCardDetails {
  /** In the names of the API, such as `visa` or `mastercard`; other names are left out. */
  scheme?: string | null
  /** The first six to eight digits. */
  bin?: string | null
  last4?: string | null
  /** `MM/YY`. */
  expirationDate?: string | null
  type?: 'credit' | 'debit' | 'prepaid' | null
  /** Of the issuer, ISO 3166-1 alpha-2. */
  country?: string | null
}

/**
 * What the payment service did with an operation. A pending outcome with an `approval` waits for the buyer: of
 * an approval, or of a payment whose cardholder is challenged, or whose buyer pays at the provider.
 */
export type Outcome<Code extends string = ErrorCode> =
  | {
      status: 'approved'
      amount: number
      facts: ResponseDetails
      references: References
      buyer?: BuyerApproval
      /**
       * The provider's token for an instrument that the payment stores (`storesInstrument`), at most 10,000
       * characters. Absent: the provider stores it not, and neither does Railyard.
       */
      storedToken?: string
      /** The card behind `storedToken`. */
      storedCard?: StoredCardDetails
    }
  | { status: 'pending'; facts: ResponseDetails; references: References; approval?: Approval }
  | {
      status: 'declined'
      code: Code
      facts: ResponseDetails
      references: References
      isHardDecline?: true
    }
  | FailedOutcome<Code>
  | UnprocessedOutcome<Code>
  | UnknownOutcome

/** A technical failure: the payment service refused, and no money has moved. */
export interface FailedOutcome<Code extends string> {
  status: 'failed'
  code: Code
  facts: ResponseDetails
  references: References
  /**
   * The issuer or the scheme forbids a further attempt with this card, at whichever payment service, whatever
   * the code allows. Schemes charge for such attempts.
   */
  isHardDecline?: true
  unprocessed?: never
}

/**
 * The request did not reach the payment service, or it refused the request before it read it (wrong
 * credentials, too many requests) and kept nothing under its key. So this says nothing of another request
 * under the same key.
 */
export interface UnprocessedOutcome<Code extends string> extends Omit<FailedOutcome<Code>, 'unprocessed'> {
  unprocessed: true
}

/**
 * The answer was lost: a time-out, a reset, a 5xx after sending, an unreadable body. The money may have
 * moved, so nothing else is tried until the payment service's books have been read.
 */
export interface UnknownOutcome {
  status: 'unknown'
  reason: string
}

/**
 * What a payment service's books say of an operation. `absent`: it never took effect, or sending it again
 * under the same key cannot make it take effect twice. `unsure`: the books could not be read; recovery asks
 * again later.
 */
export type BookFinding<Result = Outcome> =
  | { status: 'found'; outcome: Result }
  | { status: 'absent' }
  | { status: 'unsure' }

export const unknownOutcome = (reason: string): UnknownOutcome => ({ status: 'unknown', reason })

export const failedOutcome = (code: ErrorCode, facts: ResponseDetails = {}): FailedOutcome<ErrorCode> => ({
  status: 'failed',
  code,
  facts,
  references: {},
})

/** A refusal: declined if its code is a decline (semantics §3.10), else failed. */
export const refusedOutcome = (
  code: ErrorCode,
  facts: ResponseDetails = {},
  references: References = {},
): Outcome =>
  errorCodes[code].group === 'decline'
    ? { status: 'declined', code, facts, references }
    : { status: 'failed', code, facts, references }

/** For a request that did not reach the payment service, or that it refused before it read it. */
export const unprocessedOutcome = (
  code: ErrorCode,
  facts: ResponseDetails,
): UnprocessedOutcome<ErrorCode> => ({
  ...failedOutcome(code, facts),
  unprocessed: true,
})

/**
 * Marks a failure as unprocessed if its HTTP status says that the provider stored nothing under the request's
 * key. Other outcomes are unchanged.
 */
export const markUnprocessed = (
  outcome: Outcome,
  status: number,
  unprocessedStatuses: readonly number[],
): Outcome =>
  outcome.status === 'failed' && unprocessedStatuses.includes(status)
    ? { ...outcome, unprocessed: true }
    : outcome

/** Marks a refusal if the card must not be tried again after it (`isHardDecline`). Other outcomes are unchanged. */
export const markHardDecline = (outcome: Outcome, isHard: boolean): Outcome =>
  isHard && (outcome.status === 'declined' || outcome.status === 'failed')
    ? { ...outcome, isHardDecline: true }
    : outcome

export const found = <Result>(outcome: Result): { status: 'found'; outcome: Result } => ({
  status: 'found',
  outcome,
})
export const absent = { status: 'absent' } as const
export const unsure = { status: 'unsure' } as const
