/** The clock on the wall of a time zone. */
export interface WallClock {
  /** Minutes since midnight, 0..1439. */
  minute: number
  /** 0 is Sunday. */
  weekday: number
}

const QUARTER = 15 * 60_000

type ReadClock = (time: number) => WallClock

/** By the name of the zone. A calendar takes a tenth of a millisecond to make and a rule may name many; beyond this many names all are forgotten. */
const clocks = new Map<string, ReadClock | undefined>()
const MAX_CLOCKS = 1_000

/** Reads the wall clock of an IANA time zone. Undefined: there is no such zone. */
export function wallClock(timeZone: string): ReadClock | undefined {
  if (clocks.has(timeZone)) return clocks.get(timeZone)
  if (clocks.size >= MAX_CLOCKS) clocks.clear()
  const calendar = calendarOf(timeZone)
  const clock = calendar && clockOf(calendar)
  clocks.set(timeZone, clock)
  return clock
}

/** A quarter of a year, for rules that are asked about the past. */
const MAX_QUARTERS = 10_000

/**
 * Every offset begins and ends on a quarter of an hour, so it is looked up once for each: asking the calendar costs microseconds, and rules are asked with every
 * payment.
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
  // an offset such as +01:00 is no name of a place, and has no summer time
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

/** Milliseconds that the zone is ahead of UTC. */
function offsetOf(calendar: Intl.DateTimeFormat, time: number): number {
  const parts = Object.fromEntries(calendar.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - time
}
