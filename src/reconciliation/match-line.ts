import type { ReportLineKind } from '../connectors/settlement-report.ts'
import { countDispute, type DisputedPayment, type DisputeEvent } from './disputes.ts'
import { digitsOf, isCredit } from './read-line.ts'
import type { ReportLine, UnmatchedReason } from './report-line.ts'

/** What is known of a payment when its line comes. `judge` counts on it what it lets through, so that the lines of a batch know of each other. */
export interface MatchablePayment extends DisputedPayment {
  id: string
  currency: string
  captured: number
  /** Gross amounts that lines were booked for, by kind. */
  booked: Record<Exclude<ReportLineKind, 'refund-settlement'>, number>
  /** Null: nothing was settled. */
  settledCurrency: string | null
  /** The succeeded ones, by the payment service's id. */
  refunds: Map<string, MatchableRefund>
}

export interface MatchableRefund {
  id: string
  amount: number
  currency: string
  /** Gross, as above. */
  booked: number
  settledCurrency: string | null
}

/** `tells`: the event that the line means for the transaction. */
export type LineMatch =
  | { transaction: string; refund: string | null; tells: 'transaction.settled' | DisputeEvent | null }
  | { reason: UnmatchedReason }

/** Whether a line can be what it says it is: of this payment, in its currency, and no more than there is left (docs/reconciliation.md). */
export function matchLine(line: ReportLine, payment: MatchablePayment | undefined): LineMatch {
  if (!payment) return { reason: 'unknown_transaction' }
  if (line.kind === 'refund-settlement') return matchRefundLine(line, payment)
  const { kind } = line
  if (line.grossCurrency !== payment.currency) return { reason: 'other_currency' }
  if (kind === 'settlement' && payment.settledCurrency !== null && payment.settledCurrency !== line.currency) return { reason: 'other_currency' }
  if (!hasMatchingAmounts(line)) return { reason: 'amounts_disagree' }
  const most = kind === 'chargeback-reversal' ? payment.booked.chargeback : payment.captured
  if (kind === 'chargeback-reversal' && most === 0) return { reason: 'unknown_chargeback' }
  // what was given back may be taken again: an issuer may insist
  const standing = kind === 'chargeback' ? payment.booked.chargeback - payment.booked['chargeback-reversal'] : payment.booked[kind]
  const tooMuch = excess(most, standing, line.gross)
  if (tooMuch) return { reason: tooMuch }
  payment.booked[kind] += line.gross
  if (kind !== 'settlement') return { transaction: payment.id, refund: null, tells: countDispute(payment, kind, line.gross) }
  payment.settledCurrency = line.currency
  return { transaction: payment.id, refund: null, tells: 'transaction.settled' }
}

function matchRefundLine(line: ReportLine, payment: MatchablePayment): LineMatch {
  const refund = payment.refunds.get(line.refund ?? '')
  if (!refund) return { reason: 'unknown_refund' }
  if (line.grossCurrency !== refund.currency) return { reason: 'other_currency' }
  if (refund.settledCurrency !== null && refund.settledCurrency !== line.currency) return { reason: 'other_currency' }
  if (!hasMatchingAmounts(line)) return { reason: 'amounts_disagree' }
  const tooMuch = excess(refund.amount, refund.booked, line.gross)
  if (tooMuch) return { reason: tooMuch }
  refund.booked += line.gross
  refund.settledCurrency = line.currency
  return { transaction: payment.id, refund: refund.id, tells: null }
}

function excess(most: number, booked: number, gross: number): UnmatchedReason | undefined {
  if (booked + gross <= most) return undefined
  return booked > 0 && booked === most ? 'settled_already' : 'amount_exceeds'
}

/** Rates are told with few digits: an amount that was converted may be off by as much as one in ten thousand, and by one unit for the rounding. */
const RATE_TOLERANCE = 1e-4

/** Net and fees are the gross amount. Between two currencies that can be said only where the report tells the rate. */
function hasMatchingAmounts({ kind, gross, grossCurrency, net, currency, exchangeRate, commission }: ReportLine): boolean {
  const stated = isCredit(kind) ? net + commission : net - commission
  if (grossCurrency === currency) return stated === gross
  if (exchangeRate === null) return true
  const converted = gross * exchangeRate * 10 ** ((digitsOf(currency) ?? 2) - (digitsOf(grossCurrency) ?? 2))
  return Math.abs(stated - converted) <= 1 + converted * RATE_TOLERANCE
}
