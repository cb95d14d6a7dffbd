/** What became of a payment's money in disputes: gross, in its currency. */
export interface DisputedMoney {
  /** Taken by chargebacks, and not given back. */
  disputed: number
  /** Given back by reversals, and not taken again. */
  regained: number
}

export type DisputeLine = 'chargeback' | 'chargeback-reversal'

/** What the merchant's systems are told (docs/reconciliation.md). */
export type DisputeEvent = 'transaction.disputed' | 'transaction.dispute-won' | 'transaction.dispute-lost'

/**
 * Counts a chargeback or its reversal on what the lines before came to, and says what it means. A chargeback of money that a reversal had given back is the end of
 * the same dispute: the issuer insisted. Reports name no dispute, so one that fits into what was given back is taken for that.
 */
export function countDispute(money: DisputedMoney, kind: DisputeLine, gross: number): DisputeEvent {
  if (kind === 'chargeback-reversal') {
    money.disputed -= gross
    money.regained += gross
    return 'transaction.dispute-won'
  }
  const isTakenAgain = gross <= money.regained
  money.disputed += gross
  if (isTakenAgain) money.regained -= gross
  return isTakenAgain ? 'transaction.dispute-lost' : 'transaction.disputed'
}
