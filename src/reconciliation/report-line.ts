import type { ReportLineKind } from '../connectors/contract/settlement-report.ts'
import type { UnmatchedReason } from '../database/tables/reconciliation.ts'

/**
 * A line of any provider's settlement report. Amounts are in the smallest unit and positive; `kind` says
 * whether the merchant receives or pays them.
 */
export interface ReportLine {
  /** The payment service's id of the line; null: its lines have none. */
  id: string | null
  kind: ReportLineKind
  /** The payment service's id of the payment. */
  payment: string
  /** The payment service's id of the refund; null on other lines. */
  refund: string | null
  /** In the currency of the payment. */
  gross: number
  grossCurrency: string
  /** The amount that the merchant received or was charged. This and the fees are in `currency`. */
  net: number
  currency: string
  exchangeRate: number | null
  /** All fees together; negative if they were given back. */
  commission: number
  interchange: number | null
  markup: number | null
  schemeFee: number | null
  /** ISO 8601, UTC. */
  postedAt: string
}

/** Why a line could not be booked. docs/guides/reconciliation.md says what to do about each reason. */
export const unmatchedReasons = {
  unknown_transaction: 'no payment of this payment service has this id',
  unknown_refund: 'the payment has no succeeded refund with this id',
  unknown_chargeback: 'the payment has no chargeback that could be reversed',
  other_currency: 'the payment, or what was settled of it before, is in another currency',
  amount_exceeds: 'more than was captured, refunded or charged back',
  settled_already: 'all of it was settled before, by another line',
  amounts_disagree: 'net amount and fees do not add up to the gross amount',
  duplicate: 'the file has a line with this id already',
  changed: 'an earlier file has a line with this id that says something else',
  malformed: 'a cell cannot be read',
} as const satisfies Record<UnmatchedReason, string>
export type { UnmatchedReason }

/** Reasons that no later file or capture can resolve, so that these lines are not retried. */
export const finalReasons = [
  'duplicate',
  'changed',
  'malformed',
] as const satisfies readonly UnmatchedReason[]

/** The key that earlier versions gave a line without an id: of all cells of its file. */
export interface FormerKey {
  key: string
  /** In another report the key may be of another line, because it lacks the report's identifiers. */
  ofReportOnly: boolean
}

/** A line and its place in a file. */
export interface PlacedLine {
  /** Identifies the line among all lines of its payment service. */
  key: string
  /** Null: earlier versions gave the line the same key. */
  formerKey: FormerKey | null
  reportId: string
  fileId: string
  /** Its line number in the file, from 1. */
  number: number
  /** The text of the line. */
  text: string
  /** Null: it cannot be read. */
  line: ReportLine | null
}
