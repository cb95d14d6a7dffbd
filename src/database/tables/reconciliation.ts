import type { Json } from '../json.ts'

/** Why a line could not be booked (src/reconciliation/report-line.ts). */
export type UnmatchedReason =
  | 'unknown_transaction'
  | 'unknown_refund'
  | 'unknown_chargeback'
  | 'other_currency'
  | 'amount_exceeds'
  | 'settled_already'
  | 'amounts_disagree'
  | 'duplicate'
  | 'changed'
  | 'malformed'

export interface PaymentServiceReportTable {
  merchant_account_id: string
  payment_service_id: string
  name: string
  id: string
  /**
   * The payment service's version of the content when it was fetched; null: it has none, or the report was
   * not fetched.
   */
  version: string | null
  fetched_at: string | null
  created_at: string
}

export interface PaymentServiceReportFileTable {
  merchant_account_id: string
  payment_service_id: string
  sha256: Buffer
  id: string
  report_id: string
  name: string
  size: number
  read_bytes: number
  read_lines: number
  counts: Json<Record<string, number>>
  created_at: string
  finished_at: string | null
}

export interface SettlementTable {
  merchant_account_id: string
  payment_service_id: string
  line_key: string
  id: string
  type: 'settlement' | 'refund-settlement' | 'chargeback' | 'chargeback-reversal'
  transaction_id: string
  refund_id: string | null
  posted_at: string
  ingested_at: string
  gross_amount: number
  currency: string
  amount: number
  exchange_rate: number | null
  commission: number
  interchange: number | null
  markup: number | null
  scheme_fee: number | null
  report_id: string
  file_id: string
  line: number
}

export interface UnmatchedReportLineTable {
  merchant_account_id: string
  payment_service_id: string
  line_key: string
  id: string
  report_id: string
  file_id: string
  line: number
  reason: UnmatchedReason
  content: Json<unknown> | null
  text: string
  created_at: string
  tried_at: string
}

export interface PaymentServiceReportCheckTable {
  merchant_account_id: string
  payment_service_id: string
  /** When the next round is due: an hour after the end of the last one. */
  check_at: string
  /** When the last round began that read every report that was missing; null: no round did. */
  complete_at: string | null
}
