import type { HttpAnswer, HttpRequest } from './connector.ts'

/** A settlement report that a payment service has ready, and how it is asked for. */
export interface OfferedReport {
  /** How the payment service calls it: what was read under this name is not fetched again. */
  name: string
  request: HttpRequest
}

/** `unavailable`: the payment service did not say; it is asked again later. */
export type OfferedReports = { offered: OfferedReport[] } | { unavailable: string }

/** Reads the sandbox's list of reports: `{ items: [{ name, path }] }`. `ask` makes the request for a path. */
export function readOffered(answer: HttpAnswer, ask: (path: string) => HttpRequest): OfferedReports {
  if (answer.lost) return { unavailable: answer.reason }
  const { items } = answer.body
  if (answer.status !== 200 || !Array.isArray(items)) return { unavailable: `HTTP ${answer.status}` }
  const offered = items.flatMap((item: unknown) => (isItem(item) ? { name: item.name, request: ask(item.path) } : []))
  return { offered }
}

const isItem = (item: unknown): item is { name: string; path: string } =>
  typeof item === 'object' && item !== null && 'name' in item && 'path' in item && typeof item.name === 'string' && typeof item.path === 'string'
