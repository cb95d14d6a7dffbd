/**
 * What the explorer counts, as SQL over a row `t` of `transactions`. Monitoring counts by the same words, so that an incident and the chart that explains it agree.
 * docs/insights.md says it in prose.
 */

/** The outcome is known. A sale that the payment service has only taken in is not decided yet, and neither is what waits for its buyer. */
export const processed = `(t.status not in ('processing', 'buyer_approval_pending') and not (t.status = 'capture_pending' and t.authorized_amount = 0))`

/** Somebody granted the money: it was held or taken, whatever became of it later. */
export const authorized = `(${processed} and t.status not in ('authorization_failed', 'authorization_declined'))`

/** Of an authorized payment, in the smallest unit of its currency: what was granted on the payment method. */
export const volume = `(case when ${authorized} then t.authorized_amount else 0 end)`

/** Refusals that say nothing about a payment service or an issuer: the buyer went away, the merchant called it off, or nobody was asked. */
const neutralRefusals = ['cancelled_buyer_approval', 'incomplete_buyer_approval', 'canceled', 'missing_redirect_url', 'all_attempts_skipped'] as const

/** Which processed payments a source of the explorer is about (SEMANTICS §16.7). */
export const populations = {
  authorization: processed,
  /** 3-D Secure was attempted, by us or by the merchant: its outcome is on the payment. */
  authentication: `(${processed} and t.three_d_secure is not null)`,
  /** Those that tell how payment services and issuers are doing. A refusal by a rule (`flow_…`) does not. */
  monitoring: `(${processed} and (t.error_code is null or not (t.error_code in (${neutralRefusals.map((code) => `'${code}'`).join(', ')}) or t.error_code like 'flow\\_%')))`,
} as const

export type Population = keyof typeof populations
