import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'
import type { ServiceCall, StoredNotice } from './call.ts'

/**
 * The payment under which a connector keeps notices about settlement reports, if its provider tells of them by
 * notifications (`readNotification`).
 */
export const REPORT_NOTICES = 'settlement-reports'

/** A call for the list of reports. `notices`: those about reports, in the order in which they arrived. */
export type ReportsCall = ServiceCall & { notices: () => Promise<readonly StoredNotice[]> }

/**
 * A settlement report that a payment service offers, and how its content is fetched. `linesOf`: the file has
 * other rows than the lines that the connector declares; it makes lines of the rows, by the names of their columns.
 */
export type OfferedReport = ReportVersion &
  ({ request: HttpRequest; linesOf?: (rows: ReportLines) => ReportLines } | { lines: () => ReportLines })

/**
 * The lines of a report that comes in another form than a file, by the names of the columns that the connector
 * declares (`SettlementReport`), and written as it declares them. Throws `ReportUnavailable` if they cannot be
 * fetched now.
 */
export type ReportLines = AsyncIterable<Readonly<Record<string, string>>>

/** The lines cannot be fetched now; Railyard asks again later. */
export class ReportUnavailable extends Error {}

export interface ReportVersion {
  /** The payment service's name for it. */
  name: string
  /**
   * Changes if and only if the payment service issues the report again with other content (a hash, a time of
   * change): Railyard does not fetch the same name and version twice. Null: the payment service has no
   * version, and Railyard fetches the report once a day as long as it is offered.
   */
  version: string | null
}

/** A report that the payment service could not make. */
export interface FailedReport {
  /** The name that the report would have. */
  name: string
  reason: string
}

/**
 * `isPartial`: reports of that time are missing that are being made or could not be asked for, so that Railyard
 * asks for the same time again. `failed`: reports that the payment service could not make; Railyard tells an
 * operator, and does not wait for them. `unavailable`: the payment service gave no list; Railyard asks again later.
 */
export type OfferedReports =
  | { offered: OfferedReport[]; isPartial?: boolean; failed?: FailedReport[] }
  | { unavailable: string }

/**
 * Reads the sandbox's list of reports: `{ items: [{ name, path, version }] }`. `requestFor` makes the request
 * for a path.
 */
export function readReportList(
  answer: HttpAnswer,
  requestFor: (path: string) => HttpRequest,
): OfferedReports {
  if (answer.lost) return { unavailable: answer.reason }
  const { items } = answer.body
  if (answer.status !== 200 || !Array.isArray(items)) return { unavailable: `HTTP ${answer.status}` }
  const offered = items.flatMap((item: unknown) =>
    isItem(item) ? { name: item.name, version: versionOf(item), request: requestFor(item.path) } : [],
  )
  return { offered }
}

const isItem = (item: unknown): item is { name: string; path: string } =>
  typeof item === 'object' &&
  item !== null &&
  'name' in item &&
  'path' in item &&
  typeof item.name === 'string' &&
  typeof item.path === 'string'

const versionOf = (item: object): string | null =>
  'version' in item && typeof item.version === 'string' ? item.version : null
