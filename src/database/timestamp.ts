/**
 * Turns PostgreSQL's text or JSON form of a `timestamptz` in UTC into the API's form,
 * `2024-11-20T16:50:52.609674+00:00` (semantics §1.1). Infinity does not occur: every column is written from
 * a clock.
 */
export function timestamp(stored: string): string {
  const fraction = /\.(\d+)/.exec(stored)?.[1] ?? ''
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction.padEnd(6, '0')}+00:00`
}

/** The same for a nullable column. */
export const timestampOrNull = (stored: string | null): string | null =>
  stored === null ? null : timestamp(stored)
