import { readInterval } from '../api/values/interval.ts'
import type { Clock } from '../base/clock.ts'
import type { TimeRange } from './columns/column.store.ts'

/** A chart of ten years has 3,650 days; nobody looks at more. */
const MAX_DAYS = 3_660
const DAY_MS = 86_400_000

/** The payments that a question is about, by their creation; text: what is wrong with the range. */
export function readDatetimeRange(text: string, clock: Clock): TimeRange | string {
  const interval = readInterval(text, clock.now())
  if (typeof interval === 'string') return interval
  const { start: from, end: to } = interval
  if (from < 0) return 'must not begin before 1970'
  if (from === to) return 'must end after it begins'
  return to - from > MAX_DAYS * DAY_MS ? 'must not be longer than ten years' : { from, to }
}
