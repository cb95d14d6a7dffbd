import { Compile } from '../../base/compile.ts'
import { firstError } from '../core/first-error.ts'
import {
  type FaultItem,
  FaultList,
  type FaultOperation,
  type NotificationFault,
  notificationFaults,
  type RequestFault,
} from './fault.schema.ts'
import { type RandomDraw, seededDraw } from './seeded-random.ts'
import { type FaultProblems, faultItemProblems, windowOf } from './validate-fault.ts'

/** A fault with its window in milliseconds since 1970 and the number of times it was applied. */
export interface Fault {
  item: FaultItem
  from: number
  until: number
  struck: number
  draw: RandomDraw
  /** The requests that a `rate_limit` has let through in the current second. */
  rateWindow: { second: number; through: number }
}

const faultList = Compile(FaultList)

/** The faults in a PUT body, or its problems. */
export function readFaults(
  body: unknown,
  now: number,
  anySeed: () => number,
): { faults: Fault[]; seed: number } | { problems: FaultProblems } {
  if (!faultList.Check(body)) return { problems: { '': firstError(faultList, body) } }
  const problems = body.items.flatMap((item, index) =>
    Object.entries(faultItemProblems(item, now)).map(
      ([pointer, problem]) => [`/items/${index}${pointer}`, problem] as const,
    ),
  )
  if (problems.length > 0) return { problems: Object.fromEntries(problems) }
  const seed = body.seed ?? anySeed()
  const faults = body.items.map((item, index) => ({
    item,
    ...windowOf(item, now),
    struck: 0,
    draw: seededDraw(seed, index),
    rateWindow: { second: Number.NaN, through: 0 },
  }))
  return { faults, seed }
}

export interface FaultTarget {
  payment_service_id: string
  operation: FaultOperation
  /** Whether there is an earlier answer that a `duplicate` can send again. */
  repeatable: boolean
  /** The BIN of the card; null: no card, or an unknown one. */
  bin: string | null
}

/** A fault that applies, of one of these kinds. */
export type AppliedFault<Kind> = Fault & { item: { kind: Kind } }

const isNotificationFault = (kind: FaultItem['kind']): kind is NotificationFault =>
  notificationFaults.some((each) => each === kind)

const isRequestFault = (fault: Fault): fault is AppliedFault<RequestFault> =>
  !isNotificationFault(fault.item.kind)
const isFaultOfNotification = (fault: Fault): fault is AppliedFault<NotificationFault> =>
  isNotificationFault(fault.item.kind)

/** The first fault of the list that applies to this request. It is counted. */
export const applyRequestFault = (
  faults: Fault[],
  target: FaultTarget,
  now: number,
): AppliedFault<RequestFault> | null => applyFirst(faults.filter(isRequestFault), target, now)

/** The first fault of the list that applies to a notification of this operation. It is counted. */
export const applyNotificationFault = (
  faults: Fault[],
  target: FaultTarget,
  now: number,
): AppliedFault<NotificationFault> | null => applyFirst(faults.filter(isFaultOfNotification), target, now)

function applyFirst<F extends Fault>(faults: F[], target: FaultTarget, now: number): F | null {
  const fault = faults.find((candidate) => isApplicable(candidate, target, now))
  if (!fault) return null
  fault.struck += 1
  return fault
}

function isApplicable(fault: Fault, target: FaultTarget, now: number): boolean {
  const { item, from, until, struck } = fault
  if (item.operation !== '*' && item.operation !== target.operation) return false
  if (item.payment_service_id != null && item.payment_service_id !== target.payment_service_id) return false
  if (item.times !== undefined && struck >= item.times) return false
  if (now < from || now >= until) return false
  if (item.bin_from !== undefined && !isBetween(target.bin, item.bin_from, item.bin_to ?? item.bin_from))
    return false
  if (item.kind === 'duplicate' && !target.repeatable) return false
  if (item.probability !== undefined && fault.draw() >= item.probability) return false
  return item.kind !== 'rate_limit' || isOverRate(fault, item.per_second ?? 0, now)
}

const isBetween = (bin: string | null, from: string, to: string) => bin !== null && from <= bin && bin <= to

function isOverRate(fault: Fault, perSecond: number, now: number): boolean {
  const second = Math.floor(now / 1_000)
  if (fault.rateWindow.second !== second) fault.rateWindow = { second, through: 0 }
  if (fault.rateWindow.through >= perSecond) return true
  fault.rateWindow.through += 1
  return false
}
