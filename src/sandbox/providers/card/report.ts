import type { ReportFormat } from '../../core/report-format.ts'

export const cardReport: ReportFormat = {
  columns: {
    line_id: ({ id }) => id,
    type: ({ kind }) => kind.replace('-', '_'),
    payment_id: ({ payment }) => payment,
    refund_id: ({ refund }) => refund ?? '',
    gross_amount: ({ gross }) => gross,
    gross_currency: ({ grossCurrency }) => grossCurrency,
    net_amount: ({ net }) => net,
    currency: ({ currency }) => currency,
    exchange_rate: ({ exchangeRate }) => exchangeRate ?? '',
    commission: ({ commission }) => commission,
    interchange: ({ interchange }) => interchange,
    markup: ({ markup }) => markup,
    scheme_fee: ({ schemeFee }) => schemeFee,
    posted_at: ({ postedAt }) => new Date(postedAt).toISOString(),
  },
  name: (day) => `settlement-${day}.csv`,
  path: '/reports/settlement.csv',
}
