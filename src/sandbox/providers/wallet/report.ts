import type { ReportFormat } from '../../core/report-format.ts'
import type { SettlementLine } from '../../core/settlement-lines.ts'
import { decimal, isCredit } from '../../core/settlement-report.ts'

const eventCodes = {
  settlement: 'T0006',
  refund: 'T1107',
  chargeback: 'T1201',
  'chargeback-reversal': 'T1202',
} as const

const signed = (line: SettlementLine, amount: number, currency: string) =>
  decimal(isCredit(line) ? amount : -amount, currency, '.')

/** A time such as `2026/06/01 10:00:00 +0000`. */
const time = (ms: number) =>
  `${new Date(ms).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')} +0000`

export const walletReport: ReportFormat = {
  columns: {
    'Transaction ID': ({ id }) => id,
    'Order ID': ({ payment }) => payment,
    'Refund ID': ({ refund }) => refund ?? '',
    'Transaction Event Code': ({ kind }) => eventCodes[kind],
    'Transaction Completion Date': ({ postedAt }) => time(postedAt),
    'Gross Transaction Amount': (line) => signed(line, line.gross, line.grossCurrency),
    'Gross Transaction Currency': ({ grossCurrency }) => grossCurrency,
    'Exchange Rate': ({ exchangeRate }) => exchangeRate ?? '',
    'Fee Amount': ({ commission, currency }) => decimal(commission === 0 ? 0 : -commission, currency, '.'),
    'Net Amount': (line) => signed(line, line.net, line.currency),
    'Settlement Currency': ({ currency }) => currency,
  },
  options: { quoted: true },
  name: (day) => `STL-${day.replaceAll('-', '')}.01.CSV`,
  path: '/v1/reporting/settlements.csv',
}
