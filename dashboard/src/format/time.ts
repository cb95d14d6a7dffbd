type Form = 'time' | 'day' | 'both'

const forms: Record<Form, Intl.DateTimeFormatOptions> = {
  time: { timeStyle: 'medium' },
  day: { dateStyle: 'medium' },
  both: { dateStyle: 'medium', timeStyle: 'medium' },
}

/** A time as a person reads it in a zone (`Europe/Berlin`). */
export const formatTime = (time: string | Date, zone: string, form: Form = 'both'): string =>
  new Intl.DateTimeFormat(undefined, { ...forms[form], timeZone: zone }).format(new Date(time))

const yearOf = (time: string | Date, zone: string) =>
  new Intl.DateTimeFormat('en', { year: 'numeric', timeZone: zone }).format(new Date(time))

/** Today's times without the day, which says nothing in a list of today. */
export function formatShort(time: string, zone: string, now: Date = new Date()): string {
  const isToday = formatTime(time, zone, 'day') === formatTime(now, zone, 'day')
  if (isToday) return formatTime(time, zone, 'time')
  return new Intl.DateTimeFormat(undefined, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
    ...(yearOf(time, zone) !== yearOf(now, zone) && { year: 'numeric' }),
  }).format(new Date(time))
}

/** The moment that a person typed as `2026-03-01T09:30` in their own zone or in UTC; empty: it is none. */
export function instantOf(typed: string, zone: string): string {
  const time = new Date(zone === 'UTC' ? `${typed}Z` : typed)
  return Number.isNaN(time.getTime()) ? '' : time.toISOString()
}

/** A moment as a person types it in their own zone or in UTC; empty: it is none. */
export function typedTime(instant: string, zone: string): string {
  const time = new Date(instant)
  if (Number.isNaN(time.getTime())) return ''
  // `toISOString` shows UTC: the difference of the zone is added before
  const shifted = zone === 'UTC' ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, shifted.getSeconds() === 0 ? 16 : 19)
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** How far a time is from now: "in 4 seconds", "2 days ago". */
export function formatDistance(time: string, now: number = Date.now()): string {
  const distance = new Date(time).getTime() - now
  const [unit, length] = units.find(([, each]) => Math.abs(distance) >= each) ?? units[3]
  return relative.format(Math.round(distance / length), unit)
}
