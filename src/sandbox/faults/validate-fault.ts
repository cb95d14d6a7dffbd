import { readDuration } from '../../api/values/interval.ts'
import { operationKinds } from '../core/operation.ts'
import {
  type FaultItem,
  type FaultKind,
  type FaultOperation,
  FURTHEST_S,
  notificationFaults,
} from './fault.schema.ts'

/** The problems of a list of faults: messages by JSON pointer. */
export type FaultProblems = Record<string, string>

/** The time in which a fault applies, in milliseconds since 1970; `until` is not included. */
export type Window = { from: number; until: number }

/**
 * Problems of an item beyond its schema: missing members, and reasons why it could never apply. Pointers are
 * relative to the item.
 */
export function faultItemProblems(item: FaultItem, now: number): FaultProblems {
  const times = { ...aheadProblem('starts_in', item), ...aheadProblem('ends_in', item) }
  return {
    ...blame('/delay_ms', delayProblem(item)),
    ...blame('/per_second', rateProblem(item)),
    ...blame(
      '/bin_from',
      item.bin_from !== undefined &&
        !hasCard(item.operation) &&
        `would never strike: no card is known of ${item.operation}`,
    ),
    ...blame('/bin_to', binProblem(item)),
    ...blame('/kind', kindProblem(item)),
    ...blame('/probability', item.probability === 0 && 'would never strike: must be more than 0'),
    ...times,
    ...(Object.keys(times).length === 0 && windowProblem(item, now)),
  }
}

const blame = (pointer: string, problem: string | false | null): FaultProblems =>
  problem ? { [pointer]: problem } : {}

function delayProblem({ kind, delay_ms: delay }: FaultItem): string | null {
  if (delay === undefined) return kind === 'delay' ? 'is needed by delay' : null
  if (kind !== 'delay' && kind !== 'notification_late') return 'is for delay and notification_late only'
  return typeof delay === 'object' && delay.p50 > delay.p99 ? 'has a p50 above its p99' : null
}

function rateProblem({ kind, per_second: rate }: FaultItem): string | null {
  if (kind === 'rate_limit') return rate === undefined ? 'is needed by rate_limit' : null
  return rate === undefined ? null : 'is for rate_limit only'
}

function binProblem({ bin_from: from, bin_to: to }: FaultItem): string | null {
  if (to === undefined) return null
  if (from === undefined) return 'needs bin_from'
  return to < from ? 'is below bin_from, so that no card lies between' : null
}

/** Operations on a card, or on a payment that was made with one. */
const hasCard = (operation: FaultOperation) =>
  operation === '*' || operationKinds.some((kind) => kind === operation)

/** Operations of which payment services send notifications. */
const hasNotification = (operation: FaultOperation) => operation === 'approval' || hasCard(operation)

/**
 * Operations whose services answer nothing about operations, so that there is no earlier answer to send
 * again.
 */
const unrepeatable: readonly FaultOperation[] = ['network_token', 'cryptogram', 'account_update', 'screening']

function kindProblem({ kind, operation }: FaultItem): string | null {
  if (kind === 'decline' && !hasCard(operation))
    return `would never strike: nothing of ${operation} can be declined, only ${operationKinds.join(', ')}`
  if (isNotificationKind(kind) && !hasNotification(operation))
    return `would never strike: nobody is notified of ${operation}, only of approval, ${operationKinds.join(', ')}`
  if (kind === 'duplicate' && unrepeatable.includes(operation))
    return `would never strike: answers to ${operation} are never repeated`
  return null
}

/** The problem of a duration; the schema checks numbers. */
function aheadProblem(name: 'starts_in' | 'ends_in', { [name]: ahead }: FaultItem): FaultProblems {
  if (typeof ahead !== 'string') return {}
  const duration = readDuration(ahead)
  if (!duration)
    return { [`/${name}`]: 'is neither a number of seconds nor a duration of ISO 8601, such as PT10M' }
  return blame(`/${name}`, Math.abs(duration.as('seconds')) > FURTHEST_S && 'is more than 365 days')
}

const isNotificationKind = (kind: FaultKind) => notificationFaults.some((each) => each === kind)

function windowProblem(item: FaultItem, now: number): FaultProblems {
  for (const side of ['starts', 'ends'] as const)
    if (item[`${side}_at`] !== undefined && item[`${side}_in`] !== undefined)
      return { [`/${side}_in`]: `excludes ${side}_at` }
  const { from, until } = windowOf(item, now)
  const end = item.ends_at === undefined ? '/ends_in' : '/ends_at'
  if (until <= from) return { [end]: 'would never strike: the window ends before it starts' }
  return until <= now ? { [end]: 'would never strike: the window is over' } : {}
}

/** The window of an item; infinite on a side that it does not limit. */
export const windowOf = ({ starts_at, starts_in, ends_at, ends_in }: FaultItem, now: number): Window => ({
  from: timeOf(starts_at, starts_in, now) ?? Number.NEGATIVE_INFINITY,
  until: timeOf(ends_at, ends_in, now) ?? Number.POSITIVE_INFINITY,
})

function timeOf(at: string | undefined, ahead: number | string | undefined, now: number): number | undefined {
  if (at !== undefined) return Date.parse(at)
  if (ahead === undefined) return undefined
  return now + (typeof ahead === 'number' ? ahead * 1_000 : (readDuration(ahead)?.toMillis() ?? 0))
}
