import { isTimestamp } from '../api/server/validation.ts'
import { lastPeriod, type Period } from './schedule.ts'

/** Ends of periods that are named instead of given: of the last day, week or month that was over when the report was made. */
export const placeholders = ['day_start', 'day_end', 'week_start', 'week_end', 'month_start', 'month_end'] as const
type Placeholder = (typeof placeholders)[number]

/** A span of time as a report names it: both ends belong to it, null is open. */
export interface DateWindow {
  start?: string | null
  end?: string | null
}

/** What placeholders are counted from. */
export interface ReportContext {
  reference_timestamp: string
  reference_timezone: string
}

/** Both ends as the database takes them; null is open. */
export interface ResolvedWindow {
  from: string | null
  to: string | null
}

const isPlaceholder = (text: string): text is Placeholder => placeholders.some((known) => known === text)

const dateAlone = /^\d{4}-\d{2}-\d{2}$/
const withZone = /(?:[Zz]|[+-]\d{2}:?\d{2})$/

/** An ISO 8601 time with its offset; without one it is UTC. Undefined: it is no time. */
export function readInstant(text: string): string | undefined {
  const whole = dateAlone.test(text) ? `${text}T00:00:00Z` : withZone.test(text) ? text : `${text}Z`
  return isTimestamp(whole) && !Number.isNaN(Date.parse(whole)) ? whole : undefined
}

/** What is wrong with a window, by the members that are to blame; the shape is right already. */
export function windowProblems({ start = null, end = null }: DateWindow, pointer: string): Record<string, string> {
  if (start === null && end === null) return { [pointer]: 'must have a start or an end' }
  const unreadable = Object.entries({ start, end }).filter(([, text]) => text !== null && !isPlaceholder(text) && !readInstant(text))
  if (unreadable.length > 0)
    return Object.fromEntries(unreadable.map(([name]) => [`${pointer}/${name}`, `must be an ISO 8601 time or one of ${placeholders.join(', ')}`]))
  if (start === null || end === null) return {}
  const [from, to] = [readInstant(start), readInstant(end)]
  const isTurnedRound = from && to ? Date.parse(from) > Date.parse(to) : reversedPairs.has(`${start} ${end}`)
  return isTurnedRound ? { [`${pointer}/start`]: 'must not be after the end' } : {}
}

/** Where the same period ends before it starts, whatever the day. Of other pairs only the execution knows. */
const reversedPairs = new Set(['day_end day_start', 'week_end week_start', 'month_end month_start'])

/** A window in the time of an execution. Undefined: no window was asked for. */
export function resolveWindow(window: DateWindow | null | undefined, context: ReportContext): ResolvedWindow {
  return { from: resolve(window?.start ?? null, context), to: resolve(window?.end ?? null, context) }
}

function resolve(text: string | null, { reference_timestamp, reference_timezone }: ReportContext): string | null {
  if (text === null) return null
  if (!isPlaceholder(text)) return readInstant(text) ?? null
  const [period, side] = text.split('_')
  const { start, end } = lastPeriod(units[period ?? ''] ?? 'day', reference_timezone, Date.parse(reference_timestamp))
  return side === 'start' ? new Date(start).toISOString() : lastInstantBefore(end)
}

const units: Record<string, Period> = { day: 'day', week: 'week', month: 'month' }

/** The last microsecond before a whole millisecond: the database knows nothing finer. */
const lastInstantBefore = (end: number): string => new Date(end - 1).toISOString().replace('Z', '999Z')
