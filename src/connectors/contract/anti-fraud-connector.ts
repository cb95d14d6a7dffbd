import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import type { CartLine, Shipping } from './call.ts'
import type { FieldDefinition } from './connector.ts'

/** An anti-fraud service's decision on a payment. `skipped`: it had no data to decide on. */
export type ScreeningDecision = 'accept' | 'review' | 'reject' | 'error' | 'skipped'

/**
 * What an anti-fraud service gets of a payment: no card number, but first digits, last digits and a
 * fingerprint that is the same for the same card.
 */
export interface ScreenedPayment {
  /** The operation's id, which is the idempotency key. */
  id: string
  transactionId: string
  /** In the smallest unit of `currency`. */
  amount: number
  currency: string
  method: string
  card: { bin: string | null; last4: string | null; scheme: string | null; fingerprint: string | null } | null
  buyer: { id: string | null; name: string | null; email: string | null; billing: Shipping | null } | null
  shipping: Shipping | null
  lines: readonly CartLine[]
  ipAddress: string | null
  /** What the merchant's page collected for this service (`anti_fraud_fingerprint`). */
  deviceFingerprint: string | null
  paymentSource: string
  externalIdentifier: string | null
}

/** `checkId`: the service's own id of its check. `exception`: there is no readable answer. */
export type AntiFraudAnswer =
  | { status: 'decided'; verdict: ScreeningDecision; checkId: string | null; reason: string | null }
  | { status: 'exception'; reason: string }

/** A configured anti-fraud service, with its secrets in the clear for the time of the call. */
export interface AntiFraudCall {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: { id: string; fields: Readonly<Record<string, string>> }
}

/** A message that arrived at the `webhook_url` of an anti-fraud service. */
export interface ReviewMessage {
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body's text: the signature is over its bytes. */
  text: string
  body: Record<string, unknown>
}

/**
 * A message about a payment in review. The service is the authority on its own decision, so nothing else
 * confirms it: a message that the service has not signed is `forged`. `irrelevant`: it has no decision on a
 * payment.
 */
export type ParsedReviewMessage =
  | { status: 'decided'; transactionId: string; decision: 'accept' | 'reject'; comment: string | null }
  | { status: 'forged' }
  | { status: 'irrelevant' }

export interface AntiFraudDefinition {
  id: string
  displayName: string
  fields: readonly FieldDefinition[]
}

/** An anti-fraud service, as the rest of Railyard sees it. No member throws. */
export interface AntiFraudConnector {
  definition: AntiFraudDefinition
  screen(call: AntiFraudCall, payment: ScreenedPayment): Promise<AntiFraudAnswer>
  /**
   * Verifies the signature with the service's fields before it reads the message. Knowing the URL proves
   * nothing: people who may read the configuration have seen it.
   */
  readReviewMessage(call: AntiFraudCall, message: ReviewMessage): ParsedReviewMessage
}
