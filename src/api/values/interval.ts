import { DateTime, Duration } from 'luxon'

/** From `start`, included, to `end`, not included; milliseconds since 1970. */
export interface TimeInterval {
  start: number
  end: number
}

/** The years that the database accepts, too. */
const FIRST_YEAR = 1
const LAST_YEAR = 9999

/**
 * Reads an ISO 8601 interval (semantics §16.7): start/end, start/duration or duration/end. Answers a text if
 * something is wrong with it. The ends are dates or times, UTC without an offset, or `now`, `hour_start`,
 * `hour_end`; months and days are added by the calendar of UTC.
 */
export function readInterval(text: string, now: number): TimeInterval | string {
  const [first = '', last = '', ...more] = text.split('/')
  if (more.length > 0 || !text.includes('/'))
    return 'must be an ISO 8601 interval: start/end, start/duration or duration/end'
  const present = DateTime.fromMillis(now, { zone: 'utc' })
  const [start, end] = [readPart(first, present), readPart(last, present)]
  if (!start || !end)
    return `${start ? 'its second' : 'its first'} part is neither a time nor a duration of ISO 8601`
  if (Duration.isDuration(start))
    return Duration.isDuration(end) ? 'needs a time beside the duration' : between(end.minus(start), end)
  return between(start, Duration.isDuration(end) ? start.plus(end) : end)
}

/** Reads an ISO 8601 duration; undefined: the text is not one. */
export function readDuration(text: string): Duration | undefined {
  // the library reads a text without any part as a duration of zero
  const duration = /^[Pp].*\d/.test(text) ? Duration.fromISO(text.toUpperCase()) : undefined
  return duration?.isValid ? duration : undefined
}

const words: Readonly<Record<string, (present: DateTime) => DateTime>> = {
  now: (present) => present,
  hour_start: (present) => present.startOf('hour'),
  hour_end: (present) => present.startOf('hour').plus({ hours: 1 }),
}

/**
 * In a query `+` means a blank: an unescaped offset arrives with a blank in its place. Looser than the one of
 * `validation.ts`, as ISO 8601 allows more here.
 */
const unescapedOffset = / (\d\d(?::?\d\d)?)$/

function readPart(text: string, present: DateTime): DateTime | Duration | undefined {
  const word = Object.hasOwn(words, text) ? words[text] : undefined
  if (word) return word(present)
  if (/^[Pp]/.test(text)) return readDuration(text)
  // the library would read a time without a date as one of today, by the machine's clock rather than the
  // account's
  const time = /^\d{4}/.test(text)
    ? DateTime.fromISO(text.replace(unescapedOffset, '+$1'), { zone: 'utc' })
    : undefined
  return time?.isValid ? time : undefined
}

function between(start: DateTime, end: DateTime): TimeInterval | string {
  const isInRange = ({ isValid, year }: DateTime) => isValid && year >= FIRST_YEAR && year <= LAST_YEAR
  if (!isInRange(start) || !isInRange(end)) return `must lie between the years ${FIRST_YEAR} and ${LAST_YEAR}`
  return start > end
    ? 'must not end before it begins'
    : { start: Math.round(start.toMillis()), end: Math.round(end.toMillis()) }
}
