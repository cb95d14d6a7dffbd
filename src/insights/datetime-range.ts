import { readInterval } from '../api/values/interval.ts'
import type { Clock } from '../base/clock.ts'
import type { TimeRange } from './columns/column.store.ts'

/** Ten years with their leap days; a chart of them has 3,650 days. */
const MAX_DAYS = 3_660
const DAY_MS = 86_400_000

/** Reads the span in which a query's payments were created. A text: the problem of the range. */
export function readDatetimeRange(text: string, clock: Clock): TimeRange | string {
  const interval = readInterval(text, clock.now())
  if (typeof interval === 'string') return interval
  const { start: from, end: to } = interval
  if (from < 0) return 'must not begin before 1970'
  if (from === to) return 'must end after it begins'
  return to - from > MAX_DAYS * DAY_MS ? 'must not be longer than ten years' : { from, to }
}
