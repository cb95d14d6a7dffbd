import type { CartLine, FieldDefinition, Shipping } from './connector.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'

/** What an anti-fraud service said of a payment. `skipped`: it had nothing to go by. */
export type ScreeningDecision = 'accept' | 'review' | 'reject' | 'error' | 'skipped'

/** A payment as it is shown to an anti-fraud service. No card number: first digits, last digits and a fingerprint that is the same for the same card. */
export interface ScreenedPayment {
  /** Our operation's id, the idempotency key. */
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

/** `checkId`: the service's own id of its check. `exception`: there was no answer that can be read. */
export type AntiFraudAnswer =
  | { status: 'decided'; verdict: ScreeningDecision; checkId: string | null; reason: string | null }
  | { status: 'exception'; reason: string }

/** A configured anti-fraud service, with its secrets in the clear for the time of the call. */
export interface AntiFraudCall {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  service: { id: string; fields: Readonly<Record<string, string>> }
}

/** A message to an anti-fraud service's `webhook_url`, as it came. */
export interface ReviewMessage {
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body's bytes, which a signature is over. */
  text: string
  body: Record<string, unknown>
}

/**
 * What a message of the service says of a payment that it had held for review. Unlike payment services, it is the authority on its own decision, so nothing else confirms it:
 * a message that the service has not signed is `forged`.
 */
export type ParsedReviewMessage = { transactionId: string; decision: 'accept' | 'reject'; comment: string | null } | 'forged' | 'nothing'

export interface AntiFraudDefinition {
  id: string
  displayName: string
  fields: readonly FieldDefinition[]
}

/** What every anti-fraud service is to the rest of Railyard. None of these throws. */
export interface AntiFraudConnector {
  definition: AntiFraudDefinition
  screen(call: AntiFraudCall, payment: ScreenedPayment): Promise<AntiFraudAnswer>
  /** Verifies the signature with the service's fields before it reads anything. The URL is no proof: people who may read the configuration have seen it. */
  readReviewMessage(call: AntiFraudCall, message: ReviewMessage): ParsedReviewMessage
}
