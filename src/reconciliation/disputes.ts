export interface DisputedPayment {
  /**
   * The amount that reversals have given back and no later chargeback has taken: gross, in the payment's
   * currency.
   */
  regained: number
}

export type DisputeLine = 'chargeback' | 'chargeback-reversal'

/** The events of disputes (docs/guides/reconciliation.md). */
export type DisputeEvent = 'transaction.disputed' | 'transaction.dispute-won' | 'transaction.dispute-lost'

/**
 * Adds a chargeback or its reversal to the payment's earlier ones, and answers its event. A chargeback of
 * money that a reversal had given back continues the same dispute: the issuer insists. Reports do not name
 * the dispute, so a chargeback of up to the regained amount counts as one.
 */
export function countDispute(payment: DisputedPayment, kind: DisputeLine, gross: number): DisputeEvent {
  if (kind === 'chargeback-reversal') {
    payment.regained += gross
    return 'transaction.dispute-won'
  }
  const isSameDispute = gross <= payment.regained
  if (isSameDispute) payment.regained -= gross
  return isSameDispute ? 'transaction.dispute-lost' : 'transaction.disputed'
}
