import type { ErrorCode } from './error-codes.ts'

/** The money effects that a payment service can be asked for. */
export type OperationKind = 'authorize' | 'sale' | 'capture' | 'void' | 'cancel' | 'increment' | 'refund'

/** What the payment service said beyond yes or no. Raw codes are its own words; the others are the card schemes'. */
export interface Facts {
  raw_response_code?: string | null
  raw_response_description?: string | null
  auth_response_code?: string | null
  iso_response_code?: string | null
  avs_response_code?: string | null
  cvv_response_code?: string | null
  scheme_transaction_id?: string | null
  merchant_advice_code?: string | null
}

/** The payment service's own names for what happened. */
export interface References {
  /** Of this operation: a capture's or refund's id. */
  operation?: string
  /** Of the payment that later operations act on. */
  transaction?: string
}

/**
 * What became of an operation (DESIGN §5). `unknown` is for a lost answer: a time-out, a reset, a 5xx after sending, an unreadable body.
 * The money may have moved, so nothing else may be tried until the payment service's books have been read.
 */
export type Outcome =
  | { status: 'approved'; amount: number; facts: Facts; references: References }
  | { status: 'pending'; facts: Facts; references: References }
  | { status: 'declined'; code: ErrorCode; facts: Facts; references: References }
  | { status: 'failed'; code: ErrorCode; facts: Facts; references: References }
  | { status: 'unknown'; reason: string }

/** What the payment service's books say of an operation. `absent` is sure: it never took effect. `unsure` is asked again later. */
export type Finding = { found: Outcome } | 'absent' | 'unsure'

/** A card for one call. It exists in memory only. */
export interface CardForCall {
  number: string
  /** `MM/YY`. */
  expirationDate: string
  securityCode: string | null
  scheme: string | null
}

export interface Instrument {
  card?: CardForCall
  /** Charge the card of an earlier payment again, without its number (re-authorization). */
  earlierPayment?: string
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
  /** The payment service's id of the payment, on all that follow an authorization. */
  paymentReference: string | null
}

/** What only an authorization or a sale is told. */
export interface PaymentContext {
  instrument: Instrument
  billingPostalCode: string | null
  allowPartialAuthorization: boolean
  /** The part of `connection_options` that is this connector's. */
  options: Record<string, unknown>
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

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers?: Record<string, string>
  body?: unknown
}

/**
 * `lost`: no answer that can be read. `sent` tells whether the request may have reached the other side; a refused connection has not.
 */
export type HttpAnswer = { lost: false; status: number; body: Record<string, unknown> } | { lost: true; sent: boolean; reason: string }

export interface Call {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: ServiceForCall
  operation: OperationForCall
  /** Present on `authorize` and `sale`. */
  payment?: PaymentContext
}

export type ServiceCall = Pick<Call, 'http' | 'service'>

export type SessionAnswer =
  | { status: 'succeeded'; statusCode: number; body: Record<string, unknown> }
  | { status: 'failed'; code: ErrorCode; statusCode: number | null; body: Record<string, unknown> | null }

/** A field that a merchant fills in when configuring the service. Secret ones are encrypted and never answered. */
export interface FieldDefinition {
  key: string
  displayName: string
  required: boolean
  secret: boolean
  format: 'text' | 'multiline' | 'file' | 'number' | 'timezone' | 'boolean'
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
}

/**
 * What every payment service is to the rest of Railyard. An operation that a connector lacks is absent from `operations`. None of these
 * throws for what a payment service may do: a thrown error is a bug and counts as `unknown`.
 */
export interface Connector {
  definition: Definition
  operations: { readonly [Kind in OperationKind]?: (call: Call) => Promise<Outcome> }
  /** Reads the books. */
  find(call: Call): Promise<Finding>
  /**
   * Reads the books for an operation that we cannot send again (its card is gone), and where it is absent makes sure that it stays so: a
   * request still on its way is refused when it arrives.
   */
  close(call: Call): Promise<Finding>
  /** Whether the payment service accepts these credentials; null when it does, else why not. */
  verify(call: ServiceCall): Promise<string | null>
  session?(call: ServiceCall, body: Record<string, unknown>): Promise<SessionAnswer>
  /** The id of the operation that a notification speaks of. Its content is never believed: it makes us read the books. */
  notification?(body: Record<string, unknown>): string | undefined
}
