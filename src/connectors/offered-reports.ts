import type { HttpAnswer, HttpRequest } from './http-message.ts'

/** A settlement report that a payment service has ready, and how it is asked for. */
export interface OfferedReport {
  /** How the payment service calls it. */
  name: string
  /**
   * Changes when the payment service issues it again with another content (a hash, a time of change), and only then: what was read under this name and version is not
   * fetched again. Null: it does not say, and a report is fetched again once a day for as long as it is offered.
   */
  version: string | null
  request: HttpRequest
}

/** `unavailable`: the payment service did not say; it is asked again later. */
export type OfferedReports = { offered: OfferedReport[] } | { unavailable: string }

/** Reads the sandbox's list of reports: `{ items: [{ name, path, version }] }`. `ask` makes the request for a path. */
export function readReportList(answer: HttpAnswer, ask: (path: string) => HttpRequest): OfferedReports {
  if (answer.lost) return { unavailable: answer.reason }
  const { items } = answer.body
  if (answer.status !== 200 || !Array.isArray(items)) return { unavailable: `HTTP ${answer.status}` }
  const offered = items.flatMap((item: unknown) => (isItem(item) ? { name: item.name, version: versionOf(item), request: ask(item.path) } : []))
  return { offered }
}

const isItem = (item: unknown): item is { name: string; path: string } =>
  typeof item === 'object' && item !== null && 'name' in item && 'path' in item && typeof item.name === 'string' && typeof item.path === 'string'

const versionOf = (item: object): string | null => ('version' in item && typeof item.version === 'string' ? item.version : null)
