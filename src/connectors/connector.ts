import type { AuthenticationProof } from './authentication-proof.ts'
import type { ErrorCode } from './error-codes.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'
import type { OfferedReports } from './offered-reports.ts'
import type { SettlementReport } from './settlement-report.ts'

/**
 * An instruction that a payment service can get. An `approval` moves no money: it opens an order or a session
 * that the buyer then approves at the payment service (API §4.11). All others move or reserve money.
 */
export type OperationKind =
  | 'approval'
  | 'authorize'
  | 'sale'
  | 'capture'
  | 'void'
  | 'cancel'
  | 'increment'
  | 'refund'
  | 'payout'

/** The details of an outcome. Raw codes are the payment service's own; the others are the card schemes'. */
export interface Facts {
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

/** What the payment service did with an operation. A pending approval waits for the buyer. */
export type Outcome<Code extends string = ErrorCode> =
  | { status: 'approved'; amount: number; facts: Facts; references: References; buyer?: BuyerApproval }
  | { status: 'pending'; facts: Facts; references: References; approval?: Approval }
  | { status: 'declined'; code: Code; facts: Facts; references: References }
  | FailedOutcome<Code>
  | UnprocessedOutcome<Code>
  | UnknownOutcome

/** A technical failure: the payment service refused, and no money has moved. */
export interface FailedOutcome<Code extends string> {
  status: 'failed'
  code: Code
  facts: Facts
  references: References
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

/** A card for one call. It exists in memory only. */
export interface CardForCall {
  number: string
  /** `MM/YY`. */
  expirationDate: string
  securityCode: string | null
  scheme: string | null
}

/**
 * A token that represents a card, from the card's scheme or from a wallet on the buyer's device. It exists in
 * memory only.
 */
export interface NetworkTokenForCall {
  /** The token's own number (DPAN), as long as a card's. */
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /**
   * Proves that this use of the token is allowed (TAVV, UCAF); null on payments that the merchant initiates.
   */
  cryptogram: string | null
  /** Electronic commerce indicator, two digits. */
  eci: string | null
  scheme: string | null
  source: 'network' | 'apple-pay' | 'google-pay' | 'click-to-pay'
}

/**
 * What the schemes require of a payment with stored credentials (Visa and Mastercard stored credential
 * frameworks).
 */
export interface StoredCredential {
  initiator: 'customer' | 'merchant'
  usage: 'first' | 'subsequent'
  reason: 'card_on_file' | 'recurring' | 'installment'
  /** Of the payment in which the buyer agreed; null if unknown. */
  schemeTransactionId: string | null
  /** Mastercard's id of the same payment. */
  transactionLinkId: string | null
}

export interface Instrument {
  card?: CardForCall
  networkToken?: NetworkTokenForCall
  /** The payment service's own token for the card. */
  serviceToken?: string
  /** The id of an earlier payment, whose card is charged again without its number (re-authorization). */
  earlierPayment?: string
  /** The token of the buyer's approval; the authorization or sale sends it. */
  approvalToken?: string
}

export interface Shipping {
  first_name?: string | null
  last_name?: string | null
  email_address?: string | null
  phone_number?: string | null
  address?: Address | null
}

export interface Address {
  line1?: string | null
  line2?: string | null
  city?: string | null
  state?: string | null
  postal_code?: string | null
  /** ISO 3166-1 alpha-2. */
  country?: string | null
}

/**
 * A line of the cart. `unit_amount` is for one unit; `discount_amount` and `tax_amount` are for the line
 * (semantics §2).
 */
export interface CartLine {
  name: string
  quantity: number
  unit_amount: number
  discount_amount?: number | null
  tax_amount?: number | null
  sku?: string | null
  product_url?: string | null
  image_url?: string | null
  product_type?: string | null
}

/**
 * What the buyer approves. It is built from the transaction alone, so that recovery can open the approval
 * again after a crash.
 */
export interface OrderForCall {
  integrationClient: 'redirect' | 'web' | 'android' | 'ios'
  /** The operation that follows the approval: some payment services need it when the approval is opened. */
  intent: 'authorize' | 'capture'
  country: string | null
  lines: readonly CartLine[]
  shipping: Shipping | null
  buyer: { name: string | null; email: string | null; billing: Shipping | null } | null
  description: string | null
  statementDescriptor: string | null
  /** The merchant's own reference. */
  reference: string
  merchantName: string
  /**
   * Where the payment service sends the buyer's browser afterwards: to Railyard, which redirects it to the
   * merchant.
   */
  returnUrls: { approved: string; cancelled: string; failed: string }
}

/** An operation as a connector sees it. Amounts are in the smallest unit of `currency`. */
export interface OperationForCall {
  /** The idempotency key: the same operation is always sent under the same id. */
  id: string
  kind: OperationKind
  amount: number
  currency: string
  /** Whether a capture ends the authorization. */
  final: boolean
  /**
   * The payment service's id of the payment, or of the order that the buyer approves; null on the first
   * operation.
   */
  paymentReference: string | null
  /** Its further ids, as `References.identifiers` gave them. */
  identifiers: Readonly<Record<string, string>>
  /**
   * The operation may have reached the payment service before: a credential that is spent by now may have
   * been spent by that request.
   */
  sentBefore: boolean
}

/** What an approval, an authorization or a sale has in addition. */
export interface PaymentContext {
  instrument: Instrument
  /** Present if the buyer approves at the payment service. */
  order?: OrderForCall
  /** Present if the merchant stores, or has stored, the credentials. */
  storedCredential?: StoredCredential
  /** Present if the cardholder was authenticated (3-D Secure), by Railyard or by the merchant. */
  authentication?: AuthenticationProof
  /** The payment service refused the card, and its issuer has just replaced it with this one. */
  isRenewedCard?: boolean
  billingPostalCode: string | null
  allowPartialAuthorization: boolean
  /** The part of `connection_options` that is this connector's. */
  options: Record<string, unknown>
}

/** What a payout has in addition (semantics §13). */
export interface PayoutContext {
  /** The card that receives the money. A network token has no cryptogram here, because no card is charged. */
  instrument: Instrument
  category: 'online_gambling' | null
  /** The sender, if it is not the merchant account. */
  merchant: PayoutSender | null
  /** The part of `connection_options` that is this connector's. */
  options: Record<string, unknown>
}

export interface PayoutSender {
  name: string
  identification_number: string
  phone_number: string
  url: string
  statement_descriptor: string
  merchant_category_code: string
  address?: Address | null
}

/** A configured payment service, with its secrets in the clear for the time of the call. */
export interface ServiceForCall {
  id: string
  fields: Readonly<Record<string, string>>
  /** Where the payment service may report that an operation moved on. */
  notificationUrl: string
}

/** One HTTP request and its answer, redacted. They are stored as proof of what was sent and received. */
export interface Exchange {
  id: string
  method: string
  url: string
  request: unknown
  response: unknown
  status: number | null
  started_at: string
  ended_at: string
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

export interface Call {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: ServiceForCall
  operation: OperationForCall
  /** Present on `approval`, `authorize` and `sale`. */
  payment?: PaymentContext
  /** Present on `payout`, except for a look-up of a payout whose card is no longer stored. */
  payout?: PayoutContext
}

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

export type ServiceCall = Pick<Call, 'http' | 'service'>

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
