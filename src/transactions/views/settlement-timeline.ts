import type { SettlementTable } from '../../database/tables/reconciliation.ts'
import type { TimelineEntry } from '../../operations/timeline-entry.ts'
import type { World } from '../../world.ts'
import { paymentServiceContext } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { TransactionEvent } from './timeline.schema.ts'

/** The entry of each kind of settlement (semantics §3.17). */
const names = {
  settlement: 'payment-connector-report-transaction-settled',
  'refund-settlement': 'payment-connector-report-refund-settled',
  chargeback: 'payment-connector-report-chargeback-posted',
  'chargeback-reversal': 'payment-connector-report-chargeback-reversal-posted',
} as const satisfies Record<SettlementTable['type'], TransactionEvent['name']>

/**
 * The timeline entries of a transaction's settlements and chargebacks. They are made from the booked rows: to
 * store them as well would be a third of the cost of reading a report.
 */
export async function settlementTimeline(
  world: World,
  transaction: TransactionRow,
): Promise<TimelineEntry[]> {
  const rows = await world.db
    .selectFrom('settlements')
    .selectAll()
    .where('merchant_account_id', '=', transaction.merchant_account_id)
    .where('transaction_id', '=', transaction.id)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: names[row.type],
    created_at: row.ingested_at,
    context: {
      settlement_id: row.id,
      ...(row.refund_id && { refund_id: row.refund_id }),
      posted_at: row.posted_at,
      ingested_at: row.ingested_at,
      currency: row.currency,
      amount: row.amount,
      exchange_rate: row.exchange_rate,
      commission: row.commission,
      interchange: row.interchange,
      markup: row.markup,
      scheme_fee: row.scheme_fee,
      ...paymentServiceContext(transaction),
      payment_service_report_id: row.report_id,
      payment_service_report_file_ids: [row.file_id],
      payment_service_transaction_id: transaction.payment_service_transaction_id,
    },
  }))
}
