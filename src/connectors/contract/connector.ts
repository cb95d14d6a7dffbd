import type { Call, CardForCall, OperationKind, OrderForCall, ServiceCall, ServiceForCall } from './call.ts'
import type { ErrorCode } from './error-codes.ts'
import type { OfferedReports, ReportsCall } from './offered-reports.ts'
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
 * What a verified notification says, for the books of a provider that cannot be asked. Railyard keeps it once
 * for each `id`, and the next look-up gets it (`Call.notices`).
 */
export interface Notice {
  /** The same each time the provider sends it; at most 200 characters. */
  id: string
  /** What a look-up needs of it; no personal data. */
  body: Readonly<Record<string, unknown>>
}

/**
 * What `References.identifiers` must say of the payment that a notification is about; null: the payment has none
 * under this name. Of any other payment the notification changes nothing; only a `notice` is kept all the same.
 */
export type RequiredIdentifiers = Readonly<Record<string, string | null>>

/** A dispute (chargeback, inquiry) as the provider tells of it. */
export interface DisputeNotice {
  /** The provider's id of the dispute. */
  id: string
  /** The provider's id of the payment, or Railyard's id of the operation that made it. */
  payment: string
  /**
   * `inquiry`: the issuer asks, and no money has moved. `needs_response`: evidence is due. `accepted`: the
   * merchant gave up. `closed`: ended without a loss, such as an inquiry that became no chargeback.
   */
  status: 'inquiry' | 'needs_response' | 'under_review' | 'won' | 'lost' | 'accepted' | 'closed'
  /** In the smallest unit of `currency`. */
  amount: number
  currency: string
  /** What the disputed money did: null: nothing with this notice. */
  funds: 'withdrawn' | 'returned' | null
  /** The scheme's reason code; null: not told. */
  reasonCode: string | null
  reason: string | null
  /** Until when evidence can be submitted, ISO 8601; null: none can. */
  evidenceDueAt: string | null
  /** When the provider says that it happened, ISO 8601. */
  occurredAt: string
  /** Absent: `payment` alone says which one it is. */
  identifiers?: RequiredIdentifiers
}

/**
 * What a notification may mean for an operation that is decided already: the approval of a payment or payout
 * that counts as refused, or the failure of a capture, refund or sale that had succeeded. Railyard asks `find` once more then,
 * and changes nothing without its answer. Absent: decided operations are not looked up.
 */
export type LateOutcome = 'approval' | 'failure'

/**
 * What a notification is about. What it says of a payment is not believed, but read from the books; where the
 * provider has no books, they are its verified notices. A `forged` notification gets 401.
 */
export type NotificationSubject =
  | {
      about: 'operation'
      operation: string
      notice?: Notice
      late?: LateOutcome
      identifiers?: RequiredIdentifiers
    }
  | { about: 'payment'; payment: string; notice?: Notice; identifiers?: RequiredIdentifiers }
  | { about: 'dispute'; dispute: DisputeNotice }
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

/** `refused`: the provider's reason, without credentials. */
export type RegistrationAnswer =
  | { status: 'registered'; fields: Readonly<Record<string, string>> }
  | { status: 'refused'; reason: string }
  | { status: 'unknown'; reason: string }

/** Evidence for a dispute: what the merchant writes, and files. */
export interface EvidenceSubmission {
  /** The idempotency key. */
  key: string
  /** The provider's id of the dispute. */
  dispute: string
  /** The disputed payment's, as `References.identifiers` gave them; absent: it has none, or is not known. */
  identifiers?: Readonly<Record<string, string>>
  /** Text by subject, in the connector's own names, such as `product_description`. */
  text: Readonly<Record<string, string>>
  files: readonly { subject: string; name: string; type: string; content: Buffer }[]
}

/** A dispute that the merchant gives up. */
export interface DisputeAcceptance {
  /** The idempotency key. */
  key: string
  /** The provider's id of the dispute. */
  id: string
  /** As of `EvidenceSubmission`. */
  identifiers?: Readonly<Record<string, string>>
}

export type DisputeAnswer =
  | { status: 'done' }
  | { status: 'refused'; reason: string }
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

/** The features of payment services, in the names of the API (`supported_features`). */
export const features = [
  'account_funding',
  'cancel',
  'card_numbers',
  'create_session',
  'delayed_capture',
  'digital_wallets',
  'evidence',
  'incremental_authorization',
  'multi_capture',
  'network_tokens',
  'network_tokens_default',
  'open_loop',
  'over_capture',
  'partial_authorization',
  'partial_capture',
  'partial_refunds',
  'payment_method_tokenization',
  'payouts',
  'provider_tokens',
  'reauthorization',
  'refunds',
  'requires_webhook_setup',
  'settlement_reporting',
  'three_d_secure_hosted',
  'three_d_secure_pass_through',
  'transaction_sync',
  'verify_credentials',
  'void',
  'webhook_registration',
  'zero_auth',
] as const

export type Feature = (typeof features)[number]

/** The features that are there, in the order of the list. */
export const offeredFeatures = (offered: Readonly<Partial<Record<Feature, boolean>>>): Feature[] =>
  features.filter((feature) => offered[feature] === true)

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
  features: Readonly<Partial<Record<Feature, boolean>>>
  /**
   * The features that only Railyard's simulator of the provider has, and no real provider behind this
   * definition. The API and the documentation say so.
   */
  simulatedFeatures?: readonly Feature[]
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
  approval?: {
    defaultLife: number
    longestLife: number
    /**
     * The buyer pays at the provider, so that the approval itself moves the money: the first operation is the
     * authorization or sale, and its pending outcome has the approval. Absent: the approval moves no money,
     * and the money step follows it.
     */
    movesMoney?: true
  }
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
   * The kinds whose look-up reads their payment by the provider's id, if there is one, and is `unsure` where the
   * payment is not found. `absent` then holds although the credentials were changed since; otherwise it counts
   * as `unsure`, since they may be those of another account.
   */
  findReadsPayment?: readonly OperationKind[]
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
  offeredReports?(call: ReportsCall, since: string): Promise<OfferedReports>
  session?(call: ServiceCall, body: Record<string, unknown>): Promise<SessionAnswer>
  /** What a notification is about; several, if the provider sends them together. */
  readNotification?(
    call: ServiceCall,
    message: NotificationForCall,
  ): Promise<NotificationSubject | readonly NotificationSubject[]>
  /**
   * Continues an operation whose buyer has come back from the provider's page with these query parameters, or
   * whose page ran the provider's script and got this result. Absent: `find` tells what the buyer did.
   */
  completeApproval?(call: Call, returned: Readonly<Record<string, unknown>>): Promise<Outcome>
  /**
   * Registers `service.notificationUrl` at the provider; answers the values of the fields that verify its
   * notifications. Repeated, it replaces the registration that it made before.
   */
  registerNotifications?(call: ServiceCall): Promise<RegistrationAnswer>
  /** What can be done about a dispute; absent: the merchant answers it on the provider's own pages. */
  disputes?: {
    /** Submits evidence, which ends the time for it. `id` of the submission is the idempotency key. */
    submitEvidence(call: ServiceCall, submission: EvidenceSubmission): Promise<DisputeAnswer>
    /** Gives up: the money stays with the buyer. */
    accept(call: ServiceCall, dispute: DisputeAcceptance): Promise<DisputeAnswer>
  }
}
