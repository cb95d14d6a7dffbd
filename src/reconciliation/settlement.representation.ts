import { timestamp } from '../database/timestamp.ts'
import type { SettlementRow } from './settlement.store.ts'

const showMembers = (row: SettlementRow) => ({
  id: row.id,
  merchant_account_id: row.merchant_account_id,
  created_at: timestamp(row.ingested_at),
  updated_at: timestamp(row.ingested_at),
  posted_at: timestamp(row.posted_at),
  ingested_at: timestamp(row.ingested_at),
  currency: row.currency,
  amount: row.amount,
  exchange_rate: row.exchange_rate,
  commission: row.commission,
  interchange: row.interchange,
  markup: row.markup,
  scheme_fee: row.scheme_fee,
  payment_service_report_id: row.report_id,
  payment_service_report_file_ids: [row.file_id],
  transaction_id: row.transaction_id,
})

/** The rows of each type as the API shows them; a refund settlement names its refund, too. */
export const showSettlement = (row: SettlementRow) => ({ ...showMembers(row), type: 'settlement' as const })
export const showRefundSettlement = (row: SettlementRow) => ({
  ...showMembers(row),
  type: 'refund-settlement' as const,
  refund_id: row.refund_id ?? '',
})
export const showChargeback = (row: SettlementRow) => ({ ...showMembers(row), type: 'chargeback' as const })
export const showReversal = (row: SettlementRow) => ({
  ...showMembers(row),
  type: 'chargeback-reversal' as const,
})
