import { type Static, Type } from 'typebox'
import { Closed, Described, Timestamp } from '../../api/schema.ts'

const where = {
  type: Type.Literal('sandbox-clock'),
  merchant_account_id: Type.String(),
  now: Described(Timestamp, 'The time of the merchant account'),
  ahead_seconds: Described(Type.Number(), 'How far that is ahead of the machine’s time'),
}

export const SandboxClock = Closed('SandboxClock', where)
export type SandboxClock = Static<typeof SandboxClock>

export const SandboxClockAdvance = Closed('SandboxClockAdvance', {
  to: Type.Optional(Described(Timestamp, 'The time to move to; or `by`')),
  by: Type.Optional(
    Described(
      Type.Union([Type.Integer(), Type.String()]),
      'How far to move: seconds, or a duration of ISO 8601 such as `P90D` or `PT1H30M`; or `to`',
    ),
  ),
})
export type SandboxClockAdvance = Static<typeof SandboxClockAdvance>

export const SandboxClockAdvanced = Closed('SandboxClockAdvanced', {
  ...where,
  jobs: Described(
    Type.Record(Type.String(), Type.Integer()),
    'How many things came due on the way and were done, by kind; kinds of which there were none are left out',
  ),
})
export type SandboxClockAdvanced = Static<typeof SandboxClockAdvanced>
