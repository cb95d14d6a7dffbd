import type { NotificationSubject } from '../contract/connector.ts'
import { type OfferedReports, REPORT_NOTICES, type ReportsCall } from '../contract/offered-reports.ts'
import type { SettlementReport } from '../contract/settlement-report.ts'
import { type AdyenOptions, urlOf } from './environment.ts'
import type { Item } from './notice.ts'
import { merchantAccountOf } from './wire.ts'

/**
 * The settlement detail report. Its layout is configurable, so that columns are read by their names. Settled
 * payments may stand in the debit column, as what the buyer was charged: the type gives the direction, and the
 * net amount has to agree with it.
 */
export const settlementReport: SettlementReport = {
  delimiter: ',',
  columns: {
    kind: 'Type',
    payment: 'Psp Reference',
    refund: 'Modification Reference',
    gross: { credit: 'Gross Credit (GC)', debit: 'Gross Debit (GC)' },
    grossCurrency: 'Gross Currency',
    net: { credit: 'Net Credit (NC)', debit: 'Net Debit (NC)' },
    currency: 'Net Currency',
    exchangeRate: 'Exchange Rate',
    commission: ['Commission (NC)', 'Markup (NC)', 'Scheme Fees (NC)', 'Interchange (NC)'],
    interchange: 'Interchange (NC)',
    markup: 'Markup (NC)',
    schemeFee: 'Scheme Fees (NC)',
    postedAt: 'Creation Date',
  },
  // parts of a payment that is settled in installments may be equal, in batches of different days
  identifiers: ['Batch Number'],
  kinds: {
    Settled: 'settlement',
    SettledInInstallments: 'settlement',
    Refunded: 'refund-settlement',
    Chargeback: 'chargeback',
    SecondChargeback: 'chargeback',
    ChargebackReversed: 'chargeback-reversal',
    AcquirerPayout: 'ignored',
    Balancetransfer: 'ignored',
    BankInstructionReturned: 'ignored',
    DepositCorrection: 'ignored',
    Fee: 'ignored',
    InternalCompanyPayout: 'ignored',
    InvoiceDeduction: 'ignored',
    InvoiceDeductionReversed: 'ignored',
    MatchedStatement: 'ignored',
    MerchantPayin: 'ignored',
    MerchantPayout: 'ignored',
    MiscCosts: 'ignored',
    PaymentCost: 'ignored',
    ReserveAdjustment: 'ignored',
  },
  amounts: 'decimal-point',
  signs: 'unsigned',
  dates: {
    format: 'yyyy-MM-dd HH:mm:ss',
    zoneColumn: 'TimeZone',
    zones: {
      AEDT: 'UTC+11',
      AEST: 'UTC+10',
      BRT: 'UTC-3',
      BST: 'UTC+1',
      CEST: 'UTC+2',
      CET: 'UTC+1',
      CDT: 'UTC-5',
      CST: 'UTC-6',
      EDT: 'UTC-4',
      EST: 'UTC-5',
      GMT: 'UTC',
      JST: 'UTC+9',
      PDT: 'UTC-7',
      PST: 'UTC-8',
      SGT: 'UTC+8',
      UTC: 'UTC',
    },
  },
}

/** Reports of other kinds are made for other readers. */
const reportName = /^settlement_detail_report_[\w.-]{1,80}\.csv$/

/** The event that a settlement report is ready; its name is signed, and the URL beside it is not. */
export const reportNotice = ({ pspReference: name, merchantAccountCode }: Item): NotificationSubject[] =>
  reportName.test(name)
    ? [
        {
          about: 'payment',
          payment: REPORT_NOTICES,
          notice: { id: `REPORT_AVAILABLE:${merchantAccountCode}:${name}`, body: { report: name } },
        },
      ]
    : []

/** The reports that the provider told of. Each is made once, so that its name is its version. */
export async function offeredReports(
  options: AdyenOptions,
  call: ReportsCall,
  since: string,
): Promise<OfferedReports> {
  const base = urlOf(options, call.service, 'reports')
  if (base === undefined) return { unavailable: 'the service is not configured for this environment' }
  const key = call.service.fields['report_api_key'] ?? call.service.fields['api_key'] ?? ''
  const folder = `${base}/reports/download/MerchantAccount/${encodeURIComponent(merchantAccountOf(call))}`
  const notices = await call.notices()
  const names = notices.flatMap(({ body, received_at }) =>
    typeof body['report'] === 'string' && Date.parse(received_at) >= Date.parse(since)
      ? [body['report']]
      : [],
  )
  return {
    offered: [...new Set(names)].map((name) => ({
      name,
      version: name,
      request: { method: 'GET', url: `${folder}/${encodeURIComponent(name)}`, headers: { 'x-api-key': key } },
    })),
  }
}
