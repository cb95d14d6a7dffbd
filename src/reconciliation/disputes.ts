/** What disputes have given back of a payment: gross, in its currency. */
export interface DisputedPayment {
  /** By reversals, and not taken again. */
  regained: number
}

export type DisputeLine = 'chargeback' | 'chargeback-reversal'

/** What the merchant's systems are told (docs/reconciliation.md). */
export type DisputeEvent = 'transaction.disputed' | 'transaction.dispute-won' | 'transaction.dispute-lost'

/**
 * Counts a chargeback or its reversal on what the lines before came to, and says what it means. A chargeback of money that a reversal had given back is the end of
 * the same dispute: the issuer insisted. Reports name no dispute, so one that fits into what was given back is taken for that.
 */
export function countDispute(payment: DisputedPayment, kind: DisputeLine, gross: number): DisputeEvent {
  if (kind === 'chargeback-reversal') {
    payment.regained += gross
    return 'transaction.dispute-won'
  }
  const isTakenAgain = gross <= payment.regained
  if (isTakenAgain) payment.regained -= gross
  return isTakenAgain ? 'transaction.dispute-lost' : 'transaction.disputed'
}
