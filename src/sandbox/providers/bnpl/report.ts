import type { ReportFormat } from '../../core/report-format.ts'
import type { SettlementLine } from '../../core/settlement-lines.ts'
import { decimal, isCredit } from '../../core/settlement-report.ts'

const types = {
  settlement: 'SALE',
  refund: 'RETURN',
  chargeback: 'CHARGEBACK',
  'chargeback-reversal': 'REVERSAL',
} as const

const signed = (line: SettlementLine, amount: number, currency: string) =>
  decimal(isCredit(line) ? amount : -amount, currency, ',')

/** A date in the provider's time zone, such as `01.06.2026`. */
const day = (ms: number) =>
  new Date(ms).toLocaleDateString('de-DE', {
    timeZone: 'Europe/Berlin',
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
  })

export const bnplReport: ReportFormat = {
  columns: {
    type: ({ kind }) => types[kind],
    sale_date: ({ postedAt }) => day(postedAt),
    order_id: ({ payment }) => payment,
    refund_id: ({ refund }) => refund ?? '',
    amount: (line) => signed(line, line.gross, line.grossCurrency),
    purchase_currency: ({ grossCurrency }) => grossCurrency,
    fee: ({ commission, currency }) => decimal(commission === 0 ? 0 : -commission, currency, ','),
    settled_amount: (line) => signed(line, line.net, line.currency),
    payout_currency: ({ currency }) => currency,
    exchange_rate: ({ exchangeRate }) => String(exchangeRate ?? '').replace('.', ','),
  },
  options: { delimiter: ';', record_delimiter: '\r\n', bom: true },
  name: (day) => `settlement_${day}.csv`,
  path: '/settlements/v1/reports/settlement.csv',
}
