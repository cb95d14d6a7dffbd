import { DateTime, Duration } from 'luxon'

/** From `start` on, until before `end`; milliseconds since 1970. */
export interface TimeInterval {
  start: number
  end: number
}

/** In a query `+` means a blank: an offset that was not escaped arrives with one in its place. */
const unescapedOffset = / (?=\d\d:?\d\d(?:\/|$))/g

/**
 * An ISO 8601 interval (SEMANTICS §16.7): start/end, start/duration or duration/end. Its ends are dates or times, UTC where they have no offset, or `now`, `hour_start`,
 * `hour_end`. Undefined: it is none, ends before it starts, or lies beyond the years that the database knows.
 */
export function readInterval(text: string, now: number): TimeInterval | undefined {
  const [first = '', last = '', ...more] = text.replace(unescapedOffset, '+').split('/')
  if (more.length > 0) return undefined
  const [start, end] = [readTime(first, now), readTime(last, now)]
  const duration = readDuration(start ? last : first)
  const begins = start ?? (duration && end?.minus(duration))
  const ends = end ?? (duration && start?.plus(duration))
  if (!begins || !ends || !isKnown(begins) || !isKnown(ends) || begins > ends) return undefined
  return { start: begins.toMillis(), end: ends.toMillis() }
}

const isKnown = ({ isValid, year }: DateTime) => isValid && year >= 1 && year <= 9999

/** Undefined: it is none. */
export function readDuration(text: string): Duration | undefined {
  // of a text without any part the library makes one without length
  const duration = /^P.*\d/.test(text) ? Duration.fromISO(text) : undefined
  return duration?.isValid ? duration : undefined
}

function readTime(text: string, now: number): DateTime | undefined {
  const present = DateTime.fromMillis(now, { zone: 'utc' })
  if (text === 'now') return present
  if (text === 'hour_start') return present.startOf('hour')
  if (text === 'hour_end') return present.startOf('hour').plus({ hours: 1 })
  // a time without its date would be one of today, by another clock than ours
  const time = /^\d{4}/.test(text) ? DateTime.fromISO(text, { zone: 'utc' }) : undefined
  return time?.isValid ? time : undefined
}
