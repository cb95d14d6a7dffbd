import type { Options } from 'csv-stringify/sync'
import type { SettlementLine } from './settlement-lines.ts'

/** How a provider writes its reports. */
export interface ReportFormat {
  columns: Readonly<Record<string, (line: SettlementLine) => string | number>>
  options?: Options
  /** How it calls the report of a day, which is `YYYY-MM-DD`. */
  name: (day: string) => string
  /** Below the service's own path; the query says which time is asked for. */
  path: string
}
