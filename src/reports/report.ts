import type { ReportSchedule } from '../database/tables/reports.ts'
import { models } from './models/models.ts'
import type { ReportCreate, ReportSpec } from './report.schema.ts'
import { isTimeZone, nextStart, periodOf } from './schedule.ts'

/** The specification of a request; without a model it is `transactions`. */
export const specOf = ({ model = 'transactions', params }: ReportCreate['spec']): ReportSpec => ({
  model,
  params,
})

/** The problems of a new report (semantics §16.6): JSON pointer → message. Empty: none. */
export function reportProblems({
  schedule,
  schedule_enabled,
  schedule_timezone = DEFAULT_TIME_ZONE,
  spec,
}: ReportCreate): Record<string, string> {
  const { model, params } = specOf(spec)
  return {
    ...(schedule === 'once' && schedule_enabled && { '/schedule_enabled': ONCE_PROBLEM }),
    ...(!isTimeZone(schedule_timezone) && { '/schedule_timezone': 'is no name of an IANA time zone' }),
    ...Object.fromEntries(
      Object.entries(models[model].problems(params)).map(([pointer, message]) => [
        `/spec/params${pointer}`,
        message,
      ]),
    ),
  }
}

export const DEFAULT_TIME_ZONE = 'Etc/UTC'

export const ONCE_PROBLEM = 'must be false where the schedule is `once`'

/** Whether the files of a report have billing details of buyers. */
export const isPersonal = ({ model, params }: ReportSpec): boolean => models[model].isPersonal(params)

/**
 * Whether the files of a report have any personal data, also the merchant's references to buyers and its
 * notes.
 */
export const canIdentifyPeople = ({ model, params }: ReportSpec): boolean =>
  models[model].canIdentifyPeople(params)

/** When a schedule is due next after `after` (milliseconds since 1970); null: never. */
export function nextExecution(schedule: ReportSchedule, zone: string, after: number): string | null {
  const period = periodOf[schedule]
  return period && new Date(nextStart(period, zone, after)).toISOString()
}
