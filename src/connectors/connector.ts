import type { AuthenticationProof } from './authentication-proof.ts'
import type { ErrorCode } from './error-codes.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'
import type { OfferedReports } from './offered-reports.ts'
import type { SettlementReport } from './settlement-report.ts'

/**
 * What a payment service can be asked for. An `approval` moves no money: it opens an order or a session that the buyer then approves at the
 * payment service (SPEC §4.11). All others are money effects.
 */
export type OperationKind = 'approval' | 'authorize' | 'sale' | 'capture' | 'void' | 'cancel' | 'increment' | 'refund' | 'payout'

/** What the payment service said beyond yes or no. Raw codes are its own words; the others are the card schemes'. */
export interface Facts {
  raw_response_code?: string | null
  raw_response_description?: string | null
  auth_response_code?: string | null
  iso_response_code?: string | null
  avs_response_code?: string | null
  cvv_response_code?: string | null
  scheme_transaction_id?: string | null
  /** Mastercard's, which links the payments of one agreement. */
  transaction_link_id?: string | null
  merchant_advice_code?: string | null
}

/** The payment service's own names for what happened. */
export interface References {
  /** Of this operation: a capture's or refund's id. */
  operation?: string
  /** Of the payment that later operations act on. Until a buyer has approved: of the order or session that is shown to them. */
  transaction?: string
  /** Further ids that later calls need and that merchants are shown (`additional_identifiers`), e.g. of the authorization or the payer. */
  identifiers?: Record<string, string>
}

/** How the buyer comes to approve. Either they are sent to `url`, or the merchant's page runs the payment service's script with `sessionData`. */
export interface Approval {
  url: string | null
  /** What a session exchange answers (SPEC §4.11); null in a redirect flow. */
  sessionData: Record<string, unknown> | null
}

/** What the payment service tells of a buyer who approved. */
export interface BuyerApproval {
  /** A credential that the money step must show, good for one use. */
  token?: string
  /** Where the buyer wants it sent, when they could choose. */
  shipping?: Shipping
}

/**
 * What became of an operation (DESIGN §5). A pending approval waits for the buyer. `unknown` is for a lost answer: a time-out, a reset, a 5xx after sending, an unreadable body.
 * The money may have moved, so nothing else may be tried until the payment service's books have been read. `unprocessed`: the request did not get
 * away, or was turned away at the door (credentials, too many requests), before anything was looked at or kept: that says nothing of another one under the same key.
 */
export type Outcome<Code extends string = ErrorCode> =
  | { status: 'approved'; amount: number; facts: Facts; references: References; buyer?: BuyerApproval }
  | { status: 'pending'; facts: Facts; references: References; approval?: Approval }
  | { status: 'declined'; code: Code; facts: Facts; references: References }
  | { status: 'failed'; code: Code; facts: Facts; references: References; unprocessed?: true }
  | { status: 'unknown'; reason: string }

/**
 * What the payment service's books say of an operation. `absent`: it never took effect, or sending it again under the same key cannot give it a
 * second one. `unsure` is asked again later.
 */
export type Finding = { found: Outcome } | 'absent' | 'unsure'

/** A card for one call. It exists in memory only. */
export interface CardForCall {
  number: string
  /** `MM/YY`. */
  expirationDate: string
  securityCode: string | null
  scheme: string | null
}

/** A token that stands for a card, made by the card's scheme or by a wallet of the buyer's device. It exists in memory only. */
export interface NetworkTokenForCall {
  /** The token's own number (DPAN), as long as a card's. */
  number: string
  /** `MM/YY`. */
  expirationDate: string
  /** Proves that this use of the token was allowed (TAVV, UCAF); null on payments that the merchant initiates. */
  cryptogram: string | null
  /** Electronic commerce indicator, two digits. */
  eci: string | null
  scheme: string | null
  source: 'network' | 'apple-pay' | 'google-pay' | 'click-to-pay'
}

/** What the schemes ask of a payment with credentials that the merchant keeps (Visa and Mastercard stored credential frameworks). */
export interface StoredCredential {
  initiator: 'customer' | 'merchant'
  usage: 'first' | 'subsequent'
  reason: 'card_on_file' | 'recurring' | 'installment'
  /** Of the payment with which the buyer agreed; null where it is not known. */
  schemeTransactionId: string | null
  /** Mastercard's, of the same. */
  transactionLinkId: string | null
}

export interface Instrument {
  card?: CardForCall
  networkToken?: NetworkTokenForCall
  /** The payment service's own token for a card. */
  serviceToken?: string
  /** Charge the card of an earlier payment again, without its number (re-authorization). */
  earlierPayment?: string
  /** What the buyer's approval brought: the money step shows it. */
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

/** A line of the cart. Amounts are for one unit, but `discount_amount` and `tax_amount`, which are for the line (SEMANTICS §2). */
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

/** What the buyer is asked to approve. It comes from the transaction alone, so that an approval can be asked for again after a crash. */
export interface OrderForCall {
  integrationClient: 'redirect' | 'web' | 'android' | 'ios'
  /** What the money step will be: some payment services must be told when the buyer is asked. */
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
  /** Where the payment service sends the buyer's browser afterwards: to us, who send it on to the merchant. */
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
  /** The payment service's id of the payment, or of the order that the buyer approves, on all that follow it. */
  paymentReference: string | null
  /** Its further ids, as `References.identifiers` gave them. */
  identifiers: Readonly<Record<string, string>>
  /** It may have reached the payment service before: a credential that is spent by now may have been spent by it. */
  sentBefore: boolean
}

/** What only an approval, an authorization or a sale is told. */
export interface PaymentContext {
  instrument: Instrument
  /** Present where the buyer approves at the payment service. */
  order?: OrderForCall
  /** Present where the merchant keeps, or kept, the credentials. */
  storedCredential?: StoredCredential
  /** Present where the cardholder was authenticated (3-D Secure), by us or by the merchant. */
  authentication?: AuthenticationProof
  /** The card's issuer has just replaced the one that the payment service refused. */
  isRenewedCard?: boolean
  billingPostalCode: string | null
  allowPartialAuthorization: boolean
  /** The part of `connection_options` that is this connector's. */
  options: Record<string, unknown>
}

/** What only a payout is told (SEMANTICS §13). */
export interface PayoutContext {
  /** The card that the money goes to. A network token comes without a cryptogram: nobody is charged. */
  instrument: Instrument
  category: 'online_gambling' | null
  /** In whose name the money is sent, where that is not the account's. */
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
  /** Where it may tell us that an operation moved on. */
  notificationUrl: string
}

/** One HTTP request and its answer, redacted: kept as the proof of what was asked. */
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

export interface Call {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: ServiceForCall
  operation: OperationForCall
  /** Present on `approval`, `authorize` and `sale`. */
  payment?: PaymentContext
  /** Present on `payout`, but for questions about one whose card is gone. */
  payout?: PayoutContext
}

/** Whether a payment service takes some credentials; nobody knows while it does not answer as it should. */
export type CredentialCheck = 'accepted' | 'refused' | 'no answer'

/** A notification as it arrived. */
export interface NotificationForCall {
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body's text: signatures are over its bytes. */
  text: string
  body: Record<string, unknown>
}

/** What a notification is about. Its content is never believed: it makes us read the books. `forged` ones are answered with 401. */
export type NotificationSubject = { operation: string } | { payment: string } | 'forged' | 'nothing'

/** An order as a merchant asks for it, before anything is written or sent. */
export interface RequestedOrder {
  order: OrderForCall
  amount: number
  currency: string
  options: Record<string, unknown>
  fields: ServiceForCall['fields']
}

export type ServiceCall = Pick<Call, 'http' | 'service'>

/** `message`: why, where the payment service was not asked. */
export type SessionAnswer =
  | { status: 'succeeded'; statusCode: number; body: Record<string, unknown> }
  | { status: 'failed'; code: ErrorCode; statusCode: number | null; body: Record<string, unknown> | null; message?: string }

/** A card that the payment service is to keep. `id` is the idempotency key: asked again, it answers the same token. */
export type TokenizeCall = ServiceCall & { id: string; card: CardForCall }

/** `refused`: the payment service keeps no such card. `unknown`: it may have; it is asked again. */
export type TokenizeAnswer = { status: 'succeeded'; token: string } | { status: 'refused' } | { status: 'unknown'; reason: string }

/** A field that a merchant fills in when configuring the service. Secret ones are encrypted and never answered. */
export interface FieldDefinition {
  key: string
  displayName: string
  required: boolean
  secret: boolean
  format: 'text' | 'multiline' | 'file' | 'number' | 'timezone' | 'boolean'
  /** The only values that it takes; absent: any. */
  values?: readonly string[]
  /** Values that it takes in another environment of Railyard alone, with the reason that a merchant is told. */
  unavailable?: Readonly<Record<string, string>>
}

/** What a payment service is and can do. Everything that depends on it reads it here (SEMANTICS §2, contract PaymentServiceDefinition). */
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
  /** The members of its `connection_options` that a buyer's browser may send (SEMANTICS §0.13): how its pages look, and never what is paid, to whom or on whose word. */
  browserOptions: readonly string[]
  /** How long a buyer may take to approve, in milliseconds (SEMANTICS §3.9, `approval_expires_at`). Absent where none is asked. */
  approval?: { defaultLife: number; longestLife: number }
}

/**
 * What every payment service is to the rest of Railyard. An operation that a connector lacks is absent from `operations`. None of these
 * throws for what a payment service may do: a thrown error is a bug and counts as `unknown`.
 */
export interface Connector {
  definition: Definition
  operations: { readonly [Kind in OperationKind]?: (call: Call) => Promise<Outcome> }
  /** The token of an approval that the buyer has given already, where the request brings it (SPEC §4.11, express): none is asked for then. */
  approvalTokenIn?(options: Record<string, unknown>): string | undefined
  /** What of this payment the payment service would refuse, by JSON pointer; it is answered with 400 and nothing is sent. Empty: nothing. */
  orderProblems?(asked: RequestedOrder): Record<string, string>
  /** Reads the books. */
  find(call: Call): Promise<Finding>
  /** The kinds that `find` carries out once more rather than looks up: harmless to recovery, but not for a caller that only reads. */
  findExecutes?: readonly OperationKind[]
  /**
   * Reads the books for an operation that we cannot send again (its card is gone), and where it is absent makes sure that it stays so: a
   * request still on its way is refused when it arrives. Absent where everything can be sent again: not where cards are charged, or paid out to.
   */
  close?(call: Call): Promise<Finding>
  /** Asks the payment service whether it takes these credentials. */
  verifyCredentials(call: ServiceCall): Promise<CredentialCheck>
  /** Has the payment service keep a card, and give a token of its own for it. */
  tokenize?(call: TokenizeCall): Promise<TokenizeAnswer>
  /** How its settlement reports are read; absent: it has none that we can read. */
  settlementReport?: SettlementReport
  /** The settlement reports that it has ready, of what was posted since a time (ISO 8601). Absent: merchants fetch them themselves. */
  offeredReports?(call: ServiceCall, since: string): Promise<OfferedReports>
  session?(call: ServiceCall, body: Record<string, unknown>): Promise<SessionAnswer>
  readNotification?(call: ServiceCall, message: NotificationForCall): Promise<NotificationSubject>
}
