import type { Call, CardForCall, OperationKind, OrderForCall, ServiceCall, ServiceForCall } from './call.ts'
import type { ErrorCode } from './error-codes.ts'
import type { OfferedReports } from './offered-reports.ts'
import type { BookFinding, Outcome } from './outcome.ts'
import type { SettlementReport } from './settlement-report.ts'

/**
 * Whether a payment service accepts credentials. `no answer`: it did not respond as it should, so the answer
 * is open.
 */
export type CredentialCheck = 'accepted' | 'refused' | 'no answer'

/** A notification as it arrived. */
export interface NotificationForCall {
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body's text: signatures are over its bytes. */
  text: string
  body: Record<string, unknown>
}

/**
 * What a notification is about. Its content is never trusted: Railyard reads the books. A `forged`
 * notification gets 401.
 */
export type NotificationSubject =
  | { about: 'operation'; operation: string }
  | { about: 'payment'; payment: string }
  | { about: 'nothing' }
  | { about: 'forged' }

/** An order as the merchant requests it, before anything is written or sent. */
export interface RequestedOrder {
  order: OrderForCall
  amount: number
  currency: string
  options: Record<string, unknown>
  fields: ServiceForCall['fields']
}

/** `message`: the reason, if no request was sent to the payment service. */
export type SessionAnswer =
  | { status: 'succeeded'; statusCode: number; body: Record<string, unknown> }
  | {
      status: 'failed'
      code: ErrorCode
      statusCode: number | null
      body: Record<string, unknown> | null
      message?: string
    }

/**
 * A card that the payment service stores. `id` is the idempotency key: a repeated request gets the same
 * token.
 */
export type TokenizeCall = ServiceCall & { id: string; card: CardForCall }

/**
 * `refused`: the payment service does not store this card. `unknown`: it may have stored it; Railyard asks
 * again.
 */
export type TokenizeAnswer =
  | { status: 'succeeded'; token: string }
  | { status: 'refused' }
  | { status: 'unknown'; reason: string }

/**
 * A field that a merchant fills in to configure the service. Secret fields are encrypted and never returned.
 */
export interface FieldDefinition {
  key: string
  displayName: string
  required: boolean
  secret: boolean
  format: 'text' | 'multiline' | 'file' | 'number' | 'timezone' | 'boolean'
  /** The only values that it accepts; absent: any. */
  values?: readonly string[]
  /**
   * Values that it accepts in another environment of Railyard only, each with the reason that the merchant
   * gets.
   */
  unavailable?: Readonly<Record<string, string>>
}

/** What a payment service is and can do. Everything that depends on it reads it here (semantics §2). */
export interface Definition {
  id: string
  displayName: string
  method: string
  mode: 'card' | 'redirect' | 'bank'
  fields: readonly FieldDefinition[]
  /** Empty: every ISO 4217 currency. */
  currencies: readonly string[]
  /** Empty: every country. */
  countries: readonly string[]
  features: Readonly<Record<string, boolean>>
  integrationClients: readonly ('redirect' | 'web' | 'android' | 'ios')[]
  /**
   * The members of its `connection_options` that a buyer's browser may send (semantics §0.13): they decide
   * how its pages look, never the amount, the payee or the approval.
   */
  browserOptions: readonly string[]
  /**
   * How long a buyer may take to approve, in milliseconds (semantics §3.9, `approval_expires_at`). Absent if
   * the buyer does not approve.
   */
  approval?: { defaultLife: number; longestLife: number }
}

/**
 * A payment service, as the rest of Railyard sees it. `operations` has the operations that it supports. A
 * connector reports what the payment service does as an outcome: a thrown error is a bug and counts as
 * `unknown`.
 */
export interface Connector {
  definition: Definition
  operations: { readonly [Kind in OperationKind]?: (call: Call) => Promise<Outcome> }
  /**
   * The token of an approval that the buyer has given already, if the request has one (API §4.11, express):
   * then no approval is opened.
   */
  approvalTokenIn?(options: Record<string, unknown>): string | undefined
  /**
   * What the payment service would refuse of this payment, by JSON pointer. The client gets 400 and nothing
   * is sent. Empty: no problem.
   */
  orderProblems?(order: RequestedOrder): Record<string, string>
  /** Reads the books. */
  find(call: Call): Promise<BookFinding>
  /**
   * The kinds that `find` executes again instead of looking them up: harmless to recovery, but not to a
   * caller that only reads.
   */
  findExecutes?: readonly OperationKind[]
  /**
   * Reads the books for an operation that cannot be sent again (its card is no longer stored), and makes sure
   * that an absent one stays absent: the payment service refuses a request that arrives later. Absent from a
   * connector that can send every operation again; required where cards are charged or paid out to.
   */
  close?(call: Call): Promise<BookFinding>
  /** Asks the payment service whether it accepts these credentials. */
  verifyCredentials(call: ServiceCall): Promise<CredentialCheck>
  /** Stores a card at the payment service, which returns its own token. */
  tokenize?(call: TokenizeCall): Promise<TokenizeAnswer>
  /** How its settlement reports are read; absent: it has none that Railyard can read. */
  settlementReport?: SettlementReport
  /**
   * The settlement reports with what was posted since a time (ISO 8601). Absent: merchants bring the reports.
   */
  offeredReports?(call: ServiceCall, since: string): Promise<OfferedReports>
  session?(call: ServiceCall, body: Record<string, unknown>): Promise<SessionAnswer>
  readNotification?(call: ServiceCall, message: NotificationForCall): Promise<NotificationSubject>
}
