/**
 * What the explorer counts, as SQL over a row `t` of `transactions`; docs/guides/insights.md explains it.
 * Monitoring uses the same definitions, so that an incident and its chart agree.
 */

/**
 * The payment is decided. A pending sale is not, and neither is a payment that waits for its buyer's
 * approval.
 */
export const processed = `(t.status not in ('processing', 'buyer_approval_pending') and not (t.status = 'capture_pending' and t.authorized_amount = 0))`

/** The payment was authorized or captured, even if it was voided or refunded later. */
export const authorized = `(${processed} and t.status not in ('authorization_failed', 'authorization_declined'))`

/** The authorized amount in the smallest unit of the currency; 0 for a payment that was not authorized. */
export const volume = `(case when ${authorized} then t.authorized_amount else 0 end)`

/**
 * Refusals that say nothing about a payment service or an issuer: the buyer or the merchant has cancelled, or
 * no payment service got the payment.
 */
const neutralRefusals = [
  'cancelled_buyer_approval',
  'incomplete_buyer_approval',
  'canceled',
  'missing_redirect_url',
  'all_attempts_skipped',
] as const

/** The processed payments of each source of the explorer (semantics §16.7). */
export const populations = {
  authorization: processed,
  /** Payments with a 3-D Secure outcome, of Railyard's authentication or the merchant's own. */
  authentication: `(${processed} and t.three_d_secure is not null)`,
  /**
   * Payments that say how payment services and issuers perform. A refusal by a flow rule (`flow_…`) does not.
   */
  monitoring: `(${processed} and (t.error_code is null or not (t.error_code in (${neutralRefusals.map((code) => `'${code}'`).join(', ')}) or t.error_code like 'flow\\_%')))`,
} as const

export type Population = keyof typeof populations
