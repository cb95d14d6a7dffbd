/** The local time of day and weekday in a time zone. */
export interface WallClock {
  /** Minutes since midnight, 0..1439. */
  minute: number
  /** 0 is Sunday. */
  weekday: number
}

const QUARTER = 15 * 60_000

type ReadClock = (time: number) => WallClock

/**
 * By the name of the zone. Making a calendar takes a tenth of a millisecond, and rules may name many zones;
 * the cache is emptied at this size.
 */
const clocks = new Map<string, ReadClock | undefined>()
const MAX_CLOCKS = 1_000

/** Returns a function that reads the local time in an IANA time zone; undefined for an unknown zone. */
export function wallClock(timeZone: string): ReadClock | undefined {
  if (clocks.has(timeZone)) return clocks.get(timeZone)
  if (clocks.size >= MAX_CLOCKS) clocks.clear()
  const calendar = calendarOf(timeZone)
  const clock = calendar && clockOf(calendar)
  clocks.set(timeZone, clock)
  return clock
}

/** A quarter of a year, for rules that are replayed over the past. */
const MAX_QUARTERS = 10_000

/**
 * Offsets change on quarters of an hour only, so each quarter is looked up once: asking the calendar costs
 * microseconds, and rules are evaluated for every payment.
 */
function clockOf(calendar: Intl.DateTimeFormat): ReadClock {
  const offsets = new Map<number, number>()
  return (time) => {
    const quarter = Math.floor(time / QUARTER)
    let offset = offsets.get(quarter)
    if (offset === undefined) {
      if (offsets.size >= MAX_QUARTERS) offsets.clear()
      offset = offsetOf(calendar, quarter * QUARTER)
      offsets.set(quarter, offset)
    }
    const minutes = Math.floor((time + offset) / 60_000)
    const day = Math.floor(minutes / 1440)
    // 1 January 1970 was a Thursday
    return { minute: minutes - day * 1440, weekday: (((day + 4) % 7) + 7) % 7 }
  }
}

function calendarOf(timeZone: string): Intl.DateTimeFormat | undefined {
  // an offset such as +01:00 is not a zone name, and has no daylight saving time
  if (/^[+-]/.test(timeZone)) return undefined
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return undefined
  }
}

/** The milliseconds by which the zone is ahead of UTC. */
function offsetOf(calendar: Intl.DateTimeFormat, time: number): number {
  const parts = Object.fromEntries(
    calendar.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - time
}
