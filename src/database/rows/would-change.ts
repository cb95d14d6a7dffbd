import { canonicalJson } from '../../api/values/canonical-json.ts'

/** Whether two values are the same JSON. */
export const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/**
 * Whether writing these columns would change the row. Each PUT checks this under the row's lock: a request
 * that changes nothing writes nothing, so that there is no event and no audit entry, and `updated_at` stays.
 * JSON columns may be passed as the text that would be written. Sealing gives another value each time, so the
 * caller omits a sealed column whose content stays.
 */
export function wouldChange(row: object, columns: object): boolean {
  const before = new Map<string, unknown>(Object.entries(row))
  return Object.entries(columns).some(
    ([name, value]) => value !== undefined && !hasValue(before.get(name), value),
  )
}

function hasValue(stored: unknown, value: unknown): boolean {
  const isJsonColumn = typeof stored === 'object' && stored !== null && !Buffer.isBuffer(stored)
  return isSame(stored, isJsonColumn && typeof value === 'string' ? JSON.parse(value) : value)
}
