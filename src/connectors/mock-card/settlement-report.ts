import type { SettlementReport } from '../contract/settlement-report.ts'

/** Amounts are whole numbers of the smallest unit; each line has its own id. */
export const settlementReport: SettlementReport = {
  delimiter: ',',
  columns: {
    line: 'line_id',
    kind: 'type',
    payment: 'payment_id',
    refund: 'refund_id',
    gross: 'gross_amount',
    grossCurrency: 'gross_currency',
    net: 'net_amount',
    currency: 'currency',
    exchangeRate: 'exchange_rate',
    commission: 'commission',
    interchange: 'interchange',
    markup: 'markup',
    schemeFee: 'scheme_fee',
    postedAt: 'posted_at',
  },
  kinds: {
    settlement: 'settlement',
    refund: 'refund-settlement',
    chargeback: 'chargeback',
    chargeback_reversal: 'chargeback-reversal',
    payout: 'ignored',
  },
  amounts: 'minor',
  signs: 'unsigned',
  dates: 'iso',
}
