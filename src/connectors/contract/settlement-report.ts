/**
 * The kinds of lines in a settlement report. Settlements and chargeback reversals bring money in; the others
 * take it out.
 */
export const reportLineKinds = [
  'settlement',
  'refund-settlement',
  'chargeback',
  'chargeback-reversal',
] as const
export type ReportLineKind = (typeof reportLineKinds)[number]

/** A column; or two, of which a line fills one: what the merchant received, and what they were charged. */
export type AmountColumns = string | { credit: string; debit: string }

/** The names of a report's columns. Columns that a payment service does not have are absent. */
export interface ReportColumns {
  /**
   * The payment service's own id of the line. Without it, a line is identified by its cells in the declared
   * columns and in `identifiers`, and by how often the same cells came before in the file. Lines that were read
   * before are then new after another column is declared.
   */
  line?: string
  kind: string
  /** `References.transaction` of the payment. */
  payment: string
  /** `References.operation` of the refund; empty on other lines. */
  refund: string
  /**
   * What the buyer paid or got back, in the currency of the payment. Of two columns the one with an amount counts:
   * the kind gives the direction.
   */
  gross: AmountColumns
  grossCurrency: string
  /** What the merchant receives or is charged after fees. */
  net: AmountColumns
  currency: string
  /** Units of `currency` for one unit of `grossCurrency`. */
  exchangeRate?: string
  /** All fees of the line, in `currency`; of several columns their sum. The next columns are their parts. */
  commission: string | readonly string[]
  interchange?: string
  markup?: string
  schemeFee?: string
  postedAt: string
}

/**
 * How a payment service's settlement report is read: CSV in UTF-8 with a line of column names
 * (docs/guides/reconciliation.md).
 */
export interface SettlementReport {
  delimiter: ',' | ';' | '\t'
  columns: ReportColumns
  /**
   * Further columns, without `columns.line`: their ids tell apart lines that are otherwise equal, such as the id
   * of the capture or of the payout. A file may lack them.
   */
  identifiers?: readonly string[]
  /**
   * The meaning of each value in the column `kind`. `ignored`: a line that belongs to no payment, such as a
   * payout or a monthly fee.
   */
  kinds: Readonly<Record<string, ReportLineKind | 'ignored'>>
  /**
   * `minor`: whole numbers of the smallest unit. The others are decimals, with no more digits than the
   * currency has.
   */
  amounts: 'minor' | 'decimal-point' | 'decimal-comma'
  /**
   * `signed`: what the merchant is charged is negative, fees included. `unsigned`: the kind gives the
   * direction. `signed-net`: the net is signed, and the kind gives the direction of the gross; fees are
   * positive.
   */
  signs: 'signed' | 'unsigned' | 'signed-net'
  /**
   * `iso`: ISO 8601 with offset; else a Luxon format, and the time zone of dates without one, or the column
   * that names it, with the meaning of each name.
   */
  dates:
    | 'iso'
    | { format: string; zone: string }
    | { format: string; zoneColumn: string; zones: Readonly<Record<string, string>> }
}
