import { isTimestamp } from '../api/server/validation.ts'
import { lastPeriod, type Period } from './schedule.ts'

/** Start and end of the last day, week or month that was over at the reference time of the execution. */
export const placeholders = [
  'day_start',
  'day_end',
  'week_start',
  'week_end',
  'month_start',
  'month_end',
] as const
type Placeholder = (typeof placeholders)[number]

/** A span of time in a report's parameters. Both ends belong to it; null is open. */
export interface DateWindow {
  start?: string | null
  end?: string | null
}

/** The time and time zone of an execution, by which placeholders are resolved. */
export interface ReportContext {
  reference_timestamp: string
  reference_timezone: string
}

/** A window with both ends in the form of the database; null is open. */
export interface ResolvedWindow {
  from: string | null
  to: string | null
}

const isPlaceholder = (text: string): text is Placeholder =>
  placeholders.some((placeholder) => placeholder === text)

const dateAlone = /^\d{4}-\d{2}-\d{2}$/
const withZone = /(?:[Zz]|[+-]\d{2}:?\d{2})$/

/** Reads an ISO 8601 time; without an offset it is in UTC. Undefined: the text is no time. */
export function readInstant(text: string): string | undefined {
  const instant = dateAlone.test(text) ? `${text}T00:00:00Z` : withZone.test(text) ? text : `${text}Z`
  return isTimestamp(instant) && !Number.isNaN(Date.parse(instant)) ? instant : undefined
}

/** The problems of a window that has the right shape: JSON pointer → message. Empty: none. */
export function windowProblems(
  { start = null, end = null }: DateWindow,
  pointer: string,
): Record<string, string> {
  if (start === null && end === null) return { [pointer]: 'must have a start or an end' }
  const unreadable = Object.entries({ start, end }).filter(
    ([, text]) => text !== null && !isPlaceholder(text) && !readInstant(text),
  )
  if (unreadable.length > 0)
    return Object.fromEntries(
      unreadable.map(([name]) => [
        `${pointer}/${name}`,
        `must be an ISO 8601 time or one of ${placeholders.join(', ')}`,
      ]),
    )
  if (start === null || end === null) return {}
  const [from, to] = [readInstant(start), readInstant(end)]
  const isReversed = from && to ? Date.parse(from) > Date.parse(to) : reversedPairs.has(`${start} ${end}`)
  return isReversed ? { [`${pointer}/start`]: 'must not be after the end' } : {}
}

/** Pairs of placeholders that are reversed on any day. Other pairs can be compared only at an execution. */
const reversedPairs = new Set(['day_end day_start', 'week_end week_start', 'month_end month_start'])

/** A window as of an execution. Undefined: the report has no window. */
export function resolveWindow(window: DateWindow | null | undefined, context: ReportContext): ResolvedWindow {
  return { from: resolve(window?.start ?? null, context), to: resolve(window?.end ?? null, context) }
}

function resolve(
  text: string | null,
  { reference_timestamp, reference_timezone }: ReportContext,
): string | null {
  if (text === null) return null
  if (!isPlaceholder(text)) return readInstant(text) ?? null
  const [period, side] = text.split('_')
  const { start, end } = lastPeriod(
    units[period ?? ''] ?? 'day',
    reference_timezone,
    Date.parse(reference_timestamp),
  )
  return side === 'start' ? new Date(start).toISOString() : lastInstantBefore(end)
}

const units: Record<string, Period> = { day: 'day', week: 'week', month: 'month' }

/** The last microsecond before a whole millisecond, since the database's times have microseconds. */
const lastInstantBefore = (end: number): string => new Date(end - 1).toISOString().replace('Z', '999Z')
