import { IANAZone } from 'luxon'
import type { ReportSchedule } from '../database/tables/reports.ts'

export type Period = 'day' | 'week' | 'month'

/** The period that each execution of a schedule reports on; null: there is none. */
export const periodOf: Record<ReportSchedule, Period | null> = { once: null, daily: 'day', weekly: 'week', monthly: 'month' }

const MINUTE = 60_000
const DAY = 86_400_000
/** 1970 began on a Thursday. */
const FIRST_MONDAY = 4

/** A name of the IANA's time zone database. Node would take an offset such as `+02:00`, too, which knows no summer. */
export const isTimeZone = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name) && IANAZone.isValidZone(name)

/**
 * The first start of a day, week (Monday) or month after `after` on the clocks of a time zone. Both are milliseconds since 1970. It is midnight; where clocks skip midnight, the
 * first instant of that day; where they show it twice, the earlier one that is after `after`.
 */
export function nextStart(period: Period, zone: string, after: number): number {
  const clocks = IANAZone.create(zone)
  for (let day = startOnOrAfter(period, dayAt(clocks, after) + 1); ; day = startOnOrAfter(period, day + 1)) {
    const start = startsOf(clocks, day).find((instant) => instant > after)
    if (start !== undefined) return start
  }
}

/** The last period that was over at `at`: when it began, and when it ended, which is not a part of it any more. Milliseconds since 1970. */
export function lastPeriod(period: Period, zone: string, at: number): { start: number; end: number } {
  const clocks = IANAZone.create(zone)
  const starts: number[] = []
  for (let day = startOnOrBefore(period, dayAt(clocks, at) + 1); starts.length < 2; day = startOnOrBefore(period, day - 1)) {
    const [first] = startsOf(clocks, day)
    // a day that the calendar of the zone leaves out begins with the next one
    if (first !== undefined && first <= at && first !== starts[0]) starts.unshift(first)
  }
  const [start = at, end = at] = starts
  return { start, end }
}

/** Days since 1970 on a zone's clocks. */
const dayAt = (clocks: IANAZone, at: number): number => Math.floor((at + clocks.offset(at) * MINUTE) / DAY)

/** When a day begins on a zone's clocks: once as a rule, twice where they show its midnight twice. */
function startsOf(clocks: IANAZone, day: number): number[] {
  const midnight = day * DAY
  // no zone changes its clocks twice within two days
  const offsets = [clocks.offset(midnight - DAY), clocks.offset(midnight + DAY)]
  const midnights = offsets.map((offset) => midnight - offset * MINUTE).filter((at) => at + clocks.offset(at) * MINUTE === midnight)
  return midnights.length > 0 ? [...new Set(midnights)].sort((a, b) => a - b) : [firstInstant(clocks, day)]
}

/** The instant at which clocks jump over a day's midnight. */
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
