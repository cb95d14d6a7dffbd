/** What a line of a settlement report can be about. Money comes in by settlements and chargebacks' reversals, and goes out by the others. */
export const reportLineKinds = ['settlement', 'refund-settlement', 'chargeback', 'chargeback-reversal'] as const
export type ReportLineKind = (typeof reportLineKinds)[number]

/** The columns of a report, by what they say. Those that a payment service does not have are left out. */
export interface ReportColumns {
  /** The payment service's own id of the line. Without one a line is known by its content, and by how often the file had it before. */
  line?: string
  kind: string
  /** `References.transaction` of the payment. */
  payment: string
  /** `References.operation` of the refund; empty on other lines. */
  refund: string
  /** What the buyer has paid, or was given back, in the currency of the payment. */
  gross: string
  grossCurrency: string
  /** What the merchant receives, or is charged, after fees. */
  net: string
  currency: string
  /** Units of `currency` for one unit of `grossCurrency`. */
  exchangeRate?: string
  /** All fees of the line, in `currency`; what they consist of follows. */
  commission: string
  interchange?: string
  markup?: string
  schemeFee?: string
  postedAt: string
}

/** How a payment service's settlement report is read: CSV in UTF-8 with a line of column names (docs/reconciliation.md). */
export interface SettlementReport {
  delimiter: ',' | ';' | '\t'
  columns: ReportColumns
  /** What the words of the column `kind` mean; `ignored`: a line that is about no payment, such as a payout or a monthly fee. */
  kinds: Readonly<Record<string, ReportLineKind | 'ignored'>>
  /** `minor`: whole numbers of the smallest unit. The others are decimals, with at most as many digits as the currency has. */
  amounts: 'minor' | 'decimal-point' | 'decimal-comma'
  /** `signed`: what the merchant is charged is negative, fees included. `unsigned`: the kind tells. */
  signs: 'signed' | 'unsigned'
  /** `iso`: ISO 8601 with offset; else a format of Luxon's and the time zone that it is in where the format does not say. */
  dates: 'iso' | { format: string; zone: string }
}
