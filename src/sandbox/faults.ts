import { Compile } from 'typebox/compile'
import { readDuration } from '../api/interval.ts'
import { type FaultItem, FaultList, type FaultOperation, type NotificationFault, notificationFaults, type RequestFault } from './fault.schema.ts'
import { type Draw, seededDraw } from './fault-chance.ts'
import { firstError } from './shape.ts'

/** A fault that is set, with its window as milliseconds since 1970 and the number of times it struck. */
export interface Fault {
  item: FaultItem
  from: number
  until: number
  struck: number
  draw: Draw
  /** What a `rate_limit` has let through, and in which second. */
  let: { second: number; through: number }
}

const faultList = Compile(FaultList)

/** The faults that a PUT body asks for, as of now, or what is wrong with it. */
export function readFaults(body: unknown, now: number, anySeed: () => number): { faults: Fault[]; seed: number } | { problem: string } {
  if (!faultList.Check(body)) return { problem: firstError(faultList, body) }
  const problem = body.items.flatMap((item, index) => lacks(item).map((text) => `/items/${index} ${text}`))[0]
  if (problem) return { problem }
  const seed = body.seed ?? anySeed()
  const faults = body.items.map((item, index) => ({
    item,
    from: timeOf(item.starts_at, item.starts_in, now) ?? Number.NEGATIVE_INFINITY,
    until: timeOf(item.ends_at, item.ends_in, now) ?? Number.POSITIVE_INFINITY,
    struck: 0,
    draw: seededDraw(seed, index),
    let: { second: Number.NaN, through: 0 },
  }))
  return { faults, seed }
}

/** What an item needs beyond its shape. */
function lacks({ kind, delay_ms, per_second, bin_from, bin_to, starts_at, starts_in, ends_at, ends_in }: FaultItem): string[] {
  const inOrder = typeof delay_ms !== 'object' || delay_ms.p50 <= delay_ms.p99
  const durations = [starts_in, ends_in].filter((ahead) => typeof ahead === 'string')
  return [
    ...(kind === 'delay' && delay_ms === undefined ? ['is a delay and needs delay_ms'] : []),
    ...(inOrder ? [] : ['has a delay_ms whose p50 is above its p99']),
    ...(kind === 'rate_limit' && per_second === undefined ? ['is a rate_limit and needs per_second'] : []),
    ...(bin_to !== undefined && (bin_from === undefined || bin_to < bin_from) ? ['has a bin_to that no bin_from precedes'] : []),
    ...(durations.every((text) => readDuration(text)) ? [] : ['has a window that is no duration of ISO 8601']),
    ...(starts_at !== undefined && starts_in !== undefined ? ['has both starts_at and starts_in'] : []),
    ...(ends_at !== undefined && ends_in !== undefined ? ['has both ends_at and ends_in'] : []),
  ]
}

function timeOf(at: string | undefined, ahead: number | string | undefined, now: number): number | undefined {
  if (at !== undefined) return Date.parse(at)
  if (ahead === undefined) return undefined
  return now + (typeof ahead === 'number' ? ahead * 1_000 : (readDuration(ahead)?.toMillis() ?? 0))
}

export interface Target {
  payment_service_id: string
  operation: FaultOperation
  /** Whether there is an earlier answer to send again; without one a `duplicate` waits. */
  repeatable: boolean
  /** The first digits of the card that it concerns; null: none, or they are not known. */
  bin: string | null
}

/** A fault that strikes, of one of these kinds. */
export type Struck<Kind> = Fault & { item: { kind: Kind } }

const isNotificationFault = (kind: FaultItem['kind']): kind is NotificationFault => notificationFaults.some((known) => known === kind)

const ofRequest = (fault: Fault): fault is Struck<RequestFault> => !isNotificationFault(fault.item.kind)
const ofNotification = (fault: Fault): fault is Struck<NotificationFault> => isNotificationFault(fault.item.kind)

/** The first fault of the list that strikes this request; it is counted. */
export const strike = (faults: Fault[], target: Target, now: number): Struck<RequestFault> | null => first(faults.filter(ofRequest), target, now)

/** The first fault of the list that strikes what is told of this operation; it is counted. */
export const strikeNotification = (faults: Fault[], target: Target, now: number): Struck<NotificationFault> | null =>
  first(faults.filter(ofNotification), target, now)

function first<F extends Fault>(faults: F[], target: Target, now: number): F | null {
  const fault = faults.find((candidate) => strikes(candidate, target, now))
  if (!fault) return null
  fault.struck += 1
  return fault
}

function strikes(fault: Fault, target: Target, now: number): boolean {
  const { item, from, until, struck } = fault
  if (item.operation !== '*' && item.operation !== target.operation) return false
  if (item.payment_service_id != null && item.payment_service_id !== target.payment_service_id) return false
  if (item.times !== undefined && struck >= item.times) return false
  if (now < from || now >= until) return false
  if (item.bin_from !== undefined && !isBetween(target.bin, item.bin_from, item.bin_to ?? item.bin_from)) return false
  if (item.kind === 'duplicate' && !target.repeatable) return false
  if (item.probability !== undefined && fault.draw() >= item.probability) return false
  return item.kind !== 'rate_limit' || isBeyond(fault, item.per_second ?? 0, now)
}

const isBetween = (bin: string | null, from: string, to: string) => bin !== null && from <= bin && bin <= to

function isBeyond(fault: Fault, perSecond: number, now: number): boolean {
  const second = Math.floor(now / 1_000)
  if (fault.let.second !== second) fault.let = { second, through: 0 }
  if (fault.let.through >= perSecond) return true
  fault.let.through += 1
  return false
}
