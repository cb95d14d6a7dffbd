/**
 * PostgreSQL's text or JSON form of a `timestamptz` in UTC → the form that the API answers: `2024-11-20T16:50:52.609674+00:00`
 * (SEMANTICS §1.1). Infinity does not occur: every column is written from the clock.
 */
export function timestamp(stored: string): string {
  const fraction = /\.(\d+)/.exec(stored)?.[1] ?? ''
  return `${stored.slice(0, 10)}T${stored.slice(11, 19)}.${fraction.padEnd(6, '0')}+00:00`
}

/** The nullable column's. */
export const timestampOrNull = (stored: string | null): string | null => (stored === null ? null : timestamp(stored))
