import { IANAZone } from 'luxon'
import type { ReportSchedule } from '../database/tables/reports.ts'

export type Period = 'day' | 'week' | 'month'

/** The period that each execution of a schedule reports on; null: the schedule has no period. */
export const periodOf: Record<ReportSchedule, Period | null> = {
  once: null,
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
}

const MINUTE = 60_000
const DAY = 86_400_000
/** 1970 began on a Thursday. */
const FIRST_MONDAY = 4

/**
 * Whether a text is a name of the IANA time zone database. Node would also accept an offset such as `+02:00`,
 * which has no summer time.
 */
export const isTimeZone = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name) && IANAZone.isValidZone(name)

/**
 * The first start of a day, week (Monday) or month after `after` in a time zone; both in milliseconds since
 * 1970. It is midnight. If the clocks skip midnight, it is the first instant of the day; if they show
 * midnight twice, the earlier one after `after`.
 */
export function nextStart(period: Period, zone: string, after: number): number {
  const clocks = clocksOf(zone)
  for (let day = startOnOrAfter(period, dayAt(clocks, after) + 1); ; day = startOnOrAfter(period, day + 1)) {
    const start = startsOf(clocks, day).find((instant) => instant > after)
    if (start !== undefined) return start
  }
}

/**
 * The last period that was over at `at`: its start, and its end, which does not belong to it. Milliseconds
 * since 1970.
 */
export function lastPeriod(period: Period, zone: string, at: number): { start: number; end: number } {
  const clocks = clocksOf(zone)
  const starts: number[] = []
  for (
    let day = startOnOrBefore(period, dayAt(clocks, at) + 1);
    starts.length < 2;
    day = startOnOrBefore(period, day - 1)
  ) {
    const [first] = startsOf(clocks, day)
    // a day that the zone's calendar skips starts together with the next one
    if (first !== undefined && first <= at && first !== starts[0]) starts.unshift(first)
  }
  const [start = at, end = at] = starts
  return { start, end }
}

/** Throws where this process does not know the zone: its offsets would be no numbers, and the search have no end. */
function clocksOf(zone: string): IANAZone {
  const clocks = IANAZone.create(zone)
  if (!clocks.isValid) throw new RangeError(`the time zone ${zone} is unknown`)
  return clocks
}

/** The day at an instant in a zone, counted from 1970. */
const dayAt = (clocks: IANAZone, at: number): number => Math.floor((at + clocks.offset(at) * MINUTE) / DAY)

/** The starts of a day in a zone: usually one, and two if the clocks show its midnight twice. */
function startsOf(clocks: IANAZone, day: number): number[] {
  const midnight = day * DAY
  // no zone changes its clocks twice within two days
  const offsets = [clocks.offset(midnight - DAY), clocks.offset(midnight + DAY)]
  const midnights = offsets
    .map((offset) => midnight - offset * MINUTE)
    .filter((at) => at + clocks.offset(at) * MINUTE === midnight)
  return midnights.length > 0 ? [...new Set(midnights)].sort((a, b) => a - b) : [firstInstant(clocks, day)]
}

/** The instant at which the clocks skip a day's midnight. */
function firstInstant(clocks: IANAZone, day: number): number {
  let before = (day - 2) * DAY
  let after = (day + 2) * DAY
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dayAt(clocks, middle) < day) before = middle
    else after = middle
  }
  return after
}

function startOnOrAfter(period: Period, day: number): number {
  if (period === 'day') return day
  if (period === 'week') return day + ((((FIRST_MONDAY - day) % 7) + 7) % 7)
  const date = new Date(day * DAY)
  return date.getUTCDate() === 1 ? day : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY
}

function startOnOrBefore(period: Period, day: number): number {
  if (period === 'day') return day
  if (period === 'week') return day - ((((day - FIRST_MONDAY) % 7) + 7) % 7)
  const date = new Date(day * DAY)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / DAY
}
