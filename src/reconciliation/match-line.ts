import type { ReportLineKind } from '../connectors/contract/settlement-report.ts'
import { countDispute, type DisputedPayment, type DisputeEvent } from './disputes.ts'
import { digitsOf, isCredit } from './read-line.ts'
import type { ReportLine, UnmatchedReason } from './report-line.ts'

/**
 * What a line of a payment is matched with. `matchLine` adds the lines that it accepts, so that later lines
 * of the batch see them.
 */
export interface MatchablePayment extends DisputedPayment {
  id: string
  currency: string
  captured: number
  /** Gross amounts of the booked lines, by kind. */
  booked: Record<Exclude<ReportLineKind, 'refund-settlement'>, number>
  /** Null: nothing was settled yet. */
  settledCurrency: string | null
  /** The succeeded refunds, by the payment service's ids. */
  refunds: Map<string, MatchableRefund>
}

export interface MatchableRefund {
  id: string
  amount: number
  currency: string
  /** Gross amount of the booked lines. */
  booked: number
  settledCurrency: string | null
}

/** A line that can be booked, with the event for its transaction, or the reason why it cannot. */
export type LineMatch =
  | { transaction: string; refund: string | null; eventName: 'transaction.settled' | DisputeEvent | null }
  | { reason: UnmatchedReason }

/**
 * Checks a line against its payment: it must have the payment's currency and no more than the amount that is
 * left (docs/guides/reconciliation.md).
 */
export function matchLine(line: ReportLine, payment: MatchablePayment | undefined): LineMatch {
  if (!payment) return { reason: 'unknown_transaction' }
  if (line.kind === 'refund-settlement') return matchRefundLine(line, payment)
  const { kind } = line
  if (line.grossCurrency !== payment.currency) return { reason: 'other_currency' }
  if (kind === 'settlement' && payment.settledCurrency !== null && payment.settledCurrency !== line.currency)
    return { reason: 'other_currency' }
  if (!hasMatchingAmounts(line)) return { reason: 'amounts_disagree' }
  const most = kind === 'chargeback-reversal' ? payment.booked.chargeback : payment.captured
  if (kind === 'chargeback-reversal' && most === 0) return { reason: 'unknown_chargeback' }
  // an issuer may charge back again what a reversal has given back
  const booked =
    kind === 'chargeback'
      ? payment.booked.chargeback - payment.booked['chargeback-reversal']
      : payment.booked[kind]
  const excess = excessReason(most, booked, line.gross)
  if (excess) return { reason: excess }
  payment.booked[kind] += line.gross
  if (kind !== 'settlement')
    return { transaction: payment.id, refund: null, eventName: countDispute(payment, kind, line.gross) }
  payment.settledCurrency = line.currency
  return { transaction: payment.id, refund: null, eventName: 'transaction.settled' }
}

function matchRefundLine(line: ReportLine, payment: MatchablePayment): LineMatch {
  const refund = payment.refunds.get(line.refund ?? '')
  if (!refund) return { reason: 'unknown_refund' }
  if (line.grossCurrency !== refund.currency) return { reason: 'other_currency' }
  if (refund.settledCurrency !== null && refund.settledCurrency !== line.currency)
    return { reason: 'other_currency' }
  if (!hasMatchingAmounts(line)) return { reason: 'amounts_disagree' }
  const excess = excessReason(refund.amount, refund.booked, line.gross)
  if (excess) return { reason: excess }
  refund.booked += line.gross
  refund.settledCurrency = line.currency
  return { transaction: payment.id, refund: refund.id, eventName: null }
}

function excessReason(most: number, booked: number, gross: number): UnmatchedReason | undefined {
  if (booked + gross <= most) return undefined
  return booked > 0 && booked === most ? 'settled_already' : 'amount_exceeds'
}

/**
 * Reports round exchange rates: a converted amount may differ by one in ten thousand, and by one unit for the
 * rounding.
 */
const RATE_TOLERANCE = 1e-4

/**
 * Whether net amount and fees add up to the gross amount. Between two currencies this can be checked only if
 * the report has the rate.
 */
function hasMatchingAmounts({
  kind,
  gross,
  grossCurrency,
  net,
  currency,
  exchangeRate,
  commission,
}: ReportLine): boolean {
  const stated = isCredit(kind) ? net + commission : net - commission
  if (grossCurrency === currency) return stated === gross
  if (exchangeRate === null) return true
  const converted = gross * exchangeRate * 10 ** ((digitsOf(currency) ?? 2) - (digitsOf(grossCurrency) ?? 2))
  return Math.abs(stated - converted) <= 1 + converted * RATE_TOLERANCE
}
