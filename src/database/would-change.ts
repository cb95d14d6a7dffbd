import { canonicalJson } from '../api/values/canonical-json.ts'

/** Whether two values are the same JSON. */
export const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other)

/**
 * Whether writing these columns would change the row. Each PUT asks it under the row's lock: a request that changes nothing writes nothing, so there is no event, no entry of the audit
 * log, and `updated_at` stays. JSON columns may be given as the text that is written. A sealed column differs each time that it is sealed, so the caller leaves out one whose content stays.
 */
export function wouldChange(row: object, columns: object): boolean {
  const known = new Map<string, unknown>(Object.entries(row))
  return Object.entries(columns).some(([name, value]) => value !== undefined && !hasValue(known.get(name), value))
}

function hasValue(known: unknown, value: unknown): boolean {
  const isJsonColumn = typeof known === 'object' && known !== null && !Buffer.isBuffer(known)
  return isSame(known, isJsonColumn && typeof value === 'string' ? JSON.parse(value) : value)
}
