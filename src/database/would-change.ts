import { isDeepStrictEqual } from 'node:util'

/**
 * Whether writing these columns would change the row. A request that changes nothing writes nothing: no event, no entry of the audit log, and `updated_at` stays. JSON columns may
 * be given as the text that is written. Sealed columns (`Buffer`) look different each time that they are sealed, so the caller compares what is in them.
 */
export const wouldChange = (row: object, columns: object): boolean => {
  const known = new Map<string, unknown>(Object.entries(row))
  return Object.entries(columns).some(([name, value]) => value !== undefined && !Buffer.isBuffer(value) && !isSame(known.get(name), value))
}

const isSame = (known: unknown, value: unknown): boolean =>
  isDeepStrictEqual(known, value) ||
  (typeof known === 'object' && known !== null && typeof value === 'string' && isDeepStrictEqual(known, JSON.parse(value)))
