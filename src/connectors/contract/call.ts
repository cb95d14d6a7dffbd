import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import type { AuthenticationProof } from './authentication-proof.ts'

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
  /**
   * What the provider's browser script produced in place of the card: a token, or encrypted fields. It
   * reaches the provider as it is, and can be used once.
   */
  providerToken?: string | Readonly<Record<string, unknown>>
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

/** What is bought, and by which buyer. It is built from the transaction alone, so that recovery has it, too. */
export interface PurchaseForCall {
  /** The id of the transaction. */
  transaction: string
  /** What the payment is meant to become: some payment services need it when an approval is opened. */
  intent: 'authorize' | 'capture'
  /** Of the buyer, ISO 3166-1 alpha-2. */
  country: string | null
  lines: readonly CartLine[]
  shipping: Shipping | null
  /** `id`: Railyard's id of the buyer, the same for all their payments; null: the buyer is not stored. */
  buyer: { id: string | null; name: string | null; email: string | null; billing: Shipping | null } | null
  /** The buyer's browser, as the merchant described it; null: not described. */
  browser: BrowserForCall | null
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

/** The buyer's browser (EMV 3-D Secure, browser information). */
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

/** A purchase that the buyer approves at the payment service. */
export interface OrderForCall extends PurchaseForCall {
  integrationClient: 'redirect' | 'web' | 'android' | 'ios'
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
  /** What an earlier send of this operation committed (`Call.commitReference`); null: nothing. */
  committedReference: string | null
  /** What an earlier call of this operation noted (`Call.commitMark`); null: nothing. */
  mark: string | null
  /** Its further ids, as `References.identifiers` gave them. */
  identifiers: Readonly<Record<string, string>>
  /**
   * The operation may have reached the payment service before: a credential that is spent by now may have
   * been spent by that request.
   */
  sentBefore: boolean
  /**
   * Present on the look-up of a payment that counts as refused and of which a notification says otherwise. What is
   * found approved is given back at once: a sale whose money cannot be refunded yet is `unsure`.
   */
  countsAsRefused?: true
  /**
   * Present once a verified notification has named the operation or its payment: books that lack it may be
   * behind.
   */
  isNotified?: true
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
  /** What is bought. A function, since most connectors need little of it, and it may cost a look-up. */
  purchase: () => Promise<PurchaseForCall>
  /**
   * Whether the cardholder may be sent to the provider's or the issuer's page (`approval` of a pending
   * outcome). False: the merchant gave no page to return to, or the buyer is not there; a challenge that the
   * provider demands is then the decline `requires_buyer_authentication`.
   */
  canChallenge: boolean
  /** Whether the payment stores the instrument: the provider's token for it goes into `storedToken`. */
  storesInstrument: boolean
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
  /** It asked for the outcome of what was sent before; absent: it sent the operation. */
  look_up?: true
}

/**
 * A verified notification of the provider, as the connector chose to keep it. Together they are the books of
 * a provider that cannot be asked.
 */
export interface StoredNotice {
  /** What the connector kept; no personal data. */
  body: Readonly<Record<string, unknown>>
  /** ISO 8601. */
  received_at: string
}

/**
 * The mark of a payment that its connector is closing. An approval that answers a request from before is recorded as
 * unknown then: the payment service may cancel the payment a moment later.
 */
export const CLOSING_MARK = 'closing'

export interface Call {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: ServiceForCall
  operation: OperationForCall
  /**
   * Commits the provider's id of the payment before the next request is sent, so that recovery knows it
   * whatever happens then: the connector opens an object that moves no money, commits its id, and lets it
   * move money. Later calls of this operation get it as `operation.committedReference`. Throws if the commit
   * fails; the connector lets that pass, and its outcome is unknown.
   */
  commitReference: (reference: string) => Promise<void>
  /**
   * Commits what the connector notes of this operation for itself, such as the capture that it refunds, or when
   * it found nothing for the first time. Later calls of this operation get it as `operation.mark`; nothing else
   * reads it, except for `CLOSING_MARK`. Throws as `commitReference` does.
   */
  commitMark: (mark: string) => Promise<void>
  /** The notices about this operation, and about its payment, in the order in which they arrived. */
  notices: () => Promise<readonly StoredNotice[]>
  /** Present on `approval`, `authorize` and `sale`. */
  payment?: PaymentContext
  /** Present on `payout`, except for a look-up of a payout whose card is no longer stored. */
  payout?: PayoutContext
}

export type ServiceCall = Pick<Call, 'http' | 'service'>
