import { DateTime, Duration } from 'luxon'
import type { Clock } from '../world.ts'
import type { Span } from './column.store.ts'

/** A chart of ten years has 3,650 days; nobody looks at more. */
const LONGEST_DAYS = 3_660
const DAY_MS = 86_400_000
const FIRST_YEAR = 1970
const LAST_YEAR = 9999

/**
 * An ISO 8601 interval (SEMANTICS §16.7) as milliseconds since 1970, the end excluded; text: what is wrong with it. Times without an offset are UTC, and so is the
 * calendar by which a month or a day is added.
 */
export function readDatetimeRange(text: string, clock: Clock): Span | string {
  const parts = text.split('/')
  const [first = '', second = ''] = parts
  if (parts.length !== 2) return 'must be an ISO 8601 interval: start/end, start/duration or duration/end'
  const now = DateTime.fromMillis(clock.now(), { zone: 'utc' })
  const start = isDuration(first) ? readDuration(first) : readTime(first, now)
  const end = isDuration(second) ? readDuration(second) : readTime(second, now)
  if (!start || !end) return `${start ? 'its second' : 'its first'} part is neither a time nor a duration of ISO 8601`
  if (Duration.isDuration(start)) return Duration.isDuration(end) ? 'needs a time beside the duration' : spanOf(end.minus(start), end)
  return spanOf(start, Duration.isDuration(end) ? start.plus(end) : end)
}

const isDuration = (text: string) => /^[Pp]/.test(text)

function readDuration(text: string): Duration | undefined {
  const duration = Duration.fromISO(text.toUpperCase())
  return duration.isValid ? duration : undefined
}

const words: Readonly<Record<string, (now: DateTime) => DateTime>> = {
  now: (now) => now,
  hour_start: (now) => now.startOf('hour'),
  hour_end: (now) => now.startOf('hour').plus({ hours: 1 }),
}

/** In a query `+` means a blank: an offset that was not escaped arrives with one in its place. */
const unescapedOffset = / (\d\d(?::?\d\d)?)$/

function readTime(text: string, now: DateTime): DateTime | undefined {
  const word = Object.hasOwn(words, text) ? words[text] : undefined
  if (word) return word(now)
  const time = DateTime.fromISO(text.replace(unescapedOffset, '+$1'), { zone: 'utc' })
  return time.isValid ? time : undefined
}

function spanOf(start: DateTime, end: DateTime): Span | string {
  const isKnown = (time: DateTime) => time.isValid && time.year >= FIRST_YEAR && time.year <= LAST_YEAR
  if (!isKnown(start) || !isKnown(end)) return `must lie between the years ${FIRST_YEAR} and ${LAST_YEAR}`
  const span = { from: Math.round(start.toMillis()), to: Math.round(end.toMillis()) }
  if (span.from >= span.to) return 'must end after it begins'
  return span.to - span.from > LONGEST_DAYS * DAY_MS ? 'must not be longer than ten years' : span
}
