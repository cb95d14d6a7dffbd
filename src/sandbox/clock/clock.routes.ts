import { DateTime } from 'luxon'
import { badRequest, invalid } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { readDuration } from '../../api/values/interval.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { advanceClock, clockOffsetOf } from './advance.ts'
import { SandboxClock, SandboxClockAdvance, SandboxClockAdvanced } from './clock.schema.ts'

const tags = ['Sandbox']
/** No time limit is longer, and no card is valid for longer. */
const FURTHEST_YEARS = 10

/** Each merchant account of the sandbox has a clock that can be advanced. */
export const clockRoutes: Routes = (app, world) => {
  app.get(
    '/sandbox/clock',
    {
      config: { scopes: ['merchant-accounts.read'] },
      schema: {
        operationId: 'get_sandbox_clock',
        summary: 'Get the clock',
        description: 'What time it is for the merchant account.',
        tags,
        headers: merchantAccountHeader,
        response: { 200: SandboxClock },
      },
    },
    async ({ account }) => showClock(world, account, await clockOffsetOf(world, account)),
  )

  app.post(
    '/sandbox/clock/advance',
    {
      config: { scopes: ['merchant-accounts.write'] },
      schema: {
        operationId: 'advance_sandbox_clock',
        summary: 'Advance the clock',
        description:
          'Moves the clock of the merchant account forward. What comes due on the way is done in order, each at its own time; other accounts are not touched. A clock never goes back: use another account for another time. Where `now` is short of what was asked for, more came due than could be done at once: ask again.',
        tags,
        headers: merchantAccountHeader,
        body: SandboxClockAdvance,
        response: { 200: SandboxClockAdvanced },
      },
    },
    async ({ account, body }) => {
      const { ahead, jobs } = await advanceClock(world, account, targetOf(body, world))
      return { ...showClock(world, account, ahead), jobs }
    },
  )
}

function showClock({ machineClock }: World, account: string, ahead: number): SandboxClock {
  const now = timestamp(new Date(machineClock.now() + ahead).toISOString())
  return { type: 'sandbox-clock', merchant_account_id: account, now, ahead_seconds: ahead / 1_000 }
}

/** Milliseconds since 1970. */
function targetOf({ to, by }: SandboxClockAdvance, { clock, machineClock }: World): number {
  if (to === undefined && by === undefined) throw badRequest('Either `to` or `by` is required')
  if (to !== undefined && by !== undefined) throw invalid({ '/by': 'cannot be given where `to` is' })
  const pointer = to === undefined ? '/by' : '/to'
  const now = DateTime.fromMillis(clock.now(), { zone: 'utc' })
  const target = to === undefined ? now.plus(durationOf(by ?? '')) : DateTime.fromISO(to)
  if (!target.isValid) throw invalid({ [pointer]: NO_TIME })
  if (target < now) throw invalid({ [pointer]: `the clock stands at ${now.toISO()} and does not go back` })
  if (target > DateTime.fromMillis(machineClock.now(), { zone: 'utc' }).plus({ years: FURTHEST_YEARS }))
    throw invalid({
      [pointer]: `moves the clock by more than ${FURTHEST_YEARS} years beyond the machine's time`,
    })
  return target.toMillis()
}

const NO_TIME = 'is not a time that there is'

function durationOf(by: number | string) {
  if (typeof by === 'number') {
    // luxon reports numbers beyond its range as invalid durations
    if (!Number.isSafeInteger(by)) throw invalid({ '/by': NO_TIME })
    return { seconds: by }
  }
  const duration = readDuration(by)
  if (!duration)
    throw invalid({ '/by': 'is neither a number of seconds nor a duration of ISO 8601, such as P90D' })
  return duration
}
