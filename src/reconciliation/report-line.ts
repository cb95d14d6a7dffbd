import type { ReportLineKind } from '../connectors/settlement-report.ts'
import type { UnmatchedReason } from '../database/tables/reconciliation.ts'

/** A line of a settlement report, whoever wrote it. Amounts in the smallest unit; what comes in and what goes out is positive alike, the kind tells which. */
export interface ReportLine {
  /** The payment service's id of the line; null where it has none. */
  id: string | null
  kind: ReportLineKind
  /** The payment service's id of the payment. */
  payment: string
  /** Of the refund; null on other lines. */
  refund: string | null
  /** In the currency of the payment. */
  gross: number
  grossCurrency: string
  /** What the merchant received, or was charged: in `currency`, as all that follow. */
  net: number
  currency: string
  exchangeRate: number | null
  /** All fees together; negative where they were given back. */
  commission: number
  interchange: number | null
  markup: number | null
  schemeFee: number | null
  /** ISO 8601, UTC. */
  postedAt: string
}

/** Why a line could not be booked, and what people do about it (docs/reconciliation.md). */
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

/** What a later file, or a later capture, cannot mend. */
export const finalReasons = ['duplicate', 'changed', 'malformed'] as const satisfies readonly UnmatchedReason[]

/** A line and where it stands. */
export interface PlacedLine {
  /** Names the line among all of its payment service. */
  key: string
  reportId: string
  fileId: string
  /** In the file, from 1. */
  number: number
  /** As it stands there, for people. */
  text: string
  /** Null: it cannot be read. */
  line: ReportLine | null
}
