import { Compile } from 'typebox/compile'
import { type FaultItem, FaultList, type FaultOperation } from './fault.schema.ts'
import { firstError } from './shape.ts'

/** A fault that is set, with its window as milliseconds since 1970 and the number of times it struck. */
export interface Fault {
  item: FaultItem
  from: number
  until: number
  struck: number
}

const faultList = Compile(FaultList)

/** The faults that a PUT body asks for, or what is wrong with it. */
export function readFaults(body: unknown): { faults: Fault[] } | { problem: string } {
  if (!faultList.Check(body)) return { problem: firstError(faultList, body) }
  const aimless = body.items.findIndex(({ kind, delay_ms }) => kind === 'delay' && delay_ms === undefined)
  if (aimless >= 0) return { problem: `/items/${aimless} is a delay and needs delay_ms` }
  return {
    faults: body.items.map((item) => ({
      item,
      from: item.starts_at === undefined ? Number.NEGATIVE_INFINITY : Date.parse(item.starts_at),
      until: item.ends_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(item.ends_at),
      struck: 0,
    })),
  }
}

export interface Target {
  payment_service_id: string
  operation: FaultOperation
  /** Whether there is an earlier answer to send again; without one a `duplicate` waits. */
  repeatable: boolean
}

/** The first fault of the list that strikes this request; it is counted. */
export function strike(faults: Fault[], target: Target, now: number): Fault | null {
  const fault = faults.find((candidate) => strikes(candidate, target, now))
  if (!fault) return null
  fault.struck += 1
  return fault
}

function strikes({ item, from, until, struck }: Fault, target: Target, now: number): boolean {
  if (item.operation !== '*' && item.operation !== target.operation) return false
  if (item.payment_service_id != null && item.payment_service_id !== target.payment_service_id) return false
  if (item.times !== undefined && struck >= item.times) return false
  if (now < from || now >= until) return false
  if (item.kind === 'duplicate' && !target.repeatable) return false
  return item.probability === undefined || Math.random() < item.probability
}
