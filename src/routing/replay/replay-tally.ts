import type { FlowAction } from '../action.schema.ts'
import type { RouteStep } from '../route.ts'
import type { Tries } from './approval-rate.ts'

/** The decision on one payment before its first attempt. */
export interface ReplayDecision {
  /** The error code of an early decline; null: it was not declined. */
  declined: string | null
  skipsThreeDSecure: boolean
  /**
   * Empty: no payment service can take it. Null: unknown, because it was declined before the eligible
   * services were determined.
   */
  steps: readonly RouteStep[] | null
  /** The rule that decided, by action. */
  rules: Partial<Record<FlowAction, string>>
}

/** Payments whose approval rates are comparable: exactly one of `scheme` and `method` is set. */
export interface Segment {
  scheme: string | null
  method: string | null
  currency: string
  merchant_initiated: boolean
}

/** A payment with the decision of the rules then and now. */
export interface ReplayedPayment {
  id: string
  segment: Segment
  before: ReplayDecision
  after: ReplayDecision
  /** Its first attempt; null: there was none, or its outcome is unknown. */
  attempt: { payment_service_id: string; approved: boolean } | null
}

export const decisionChanges = [
  'moved',
  'newly_declined_early',
  'no_longer_declined_early',
  'newly_without_service',
  'no_longer_without_service',
  'changed_otherwise',
] as const
export type DecisionChange = (typeof decisionChanges)[number]

/** The payment service of a first attempt. */
export type RouteDestination = { at: string } | 'nowhere' | 'not known'

/** The number of payments of a segment that went to one payment service and would go to another. */
export interface Movement {
  segment: Segment
  before: RouteDestination
  after: RouteDestination
  transactions: number
}

export interface SegmentTries extends Tries {
  segment: Segment
  payment_service_id: string
}

export interface RuleUse {
  rule_id: string
  action: FlowAction
  before: number
  after: number
}

export interface Example {
  transaction_id: string
  change: DecisionChange
  before: ReplayDecision
  after: ReplayDecision
}

/**
 * The counts of a replay. Its size depends on the number of segments, payment services and rules, not of
 * payments.
 */
export interface Tally {
  total: number
  changed: Record<DecisionChange, number>
  newlySkippingThreeDSecure: number
  noLongerSkippingThreeDSecure: number
  movements: Map<string, Movement>
  cells: Map<string, SegmentTries>
  rules: Map<string, RuleUse>
  examples: Record<DecisionChange, Example[]>
}

const MAX_EXAMPLES = 20

export const newTally = (): Tally => ({
  total: 0,
  changed: each(() => 0),
  newlySkippingThreeDSecure: 0,
  noLongerSkippingThreeDSecure: 0,
  movements: new Map(),
  cells: new Map(),
  rules: new Map(),
  examples: each(() => []),
})

const each = <T>(make: () => T): Record<DecisionChange, T> => ({
  moved: make(),
  newly_declined_early: make(),
  no_longer_declined_early: make(),
  newly_without_service: make(),
  no_longer_without_service: make(),
  changed_otherwise: make(),
})

export function tallyPayment(tally: Tally, { id, segment, before, after, attempt }: ReplayedPayment): void {
  tally.total++
  const change = decisionChange(before, after)
  if (change) {
    tally.changed[change]++
    const examples = tally.examples[change]
    if (examples.length < MAX_EXAMPLES) examples.push({ transaction_id: id, change, before, after })
  }
  if (after.skipsThreeDSecure && !before.skipsThreeDSecure) tally.newlySkippingThreeDSecure++
  if (before.skipsThreeDSecure && !after.skipsThreeDSecure) tally.noLongerSkippingThreeDSecure++
  countMovement(tally, segment, destinationOf(before), destinationOf(after))
  if (attempt) countAttempt(tally, segment, attempt)
  countRules(tally, before, 'before')
  countRules(tally, after, 'after')
}

/** The kind of change; undefined: the decision is the same. */
export function decisionChange(before: ReplayDecision, after: ReplayDecision): DecisionChange | undefined {
  if (before.declined === null && after.declined !== null) return 'newly_declined_early'
  if (before.declined !== null && after.declined === null) return 'no_longer_declined_early'
  const [first, now] = [before.steps?.[0], after.steps?.[0]]
  if (!first && now) return 'no_longer_without_service'
  if (first && !now) return 'newly_without_service'
  if (first?.payment_service_id !== now?.payment_service_id) return 'moved'
  const same =
    before.declined === after.declined &&
    before.skipsThreeDSecure === after.skipsThreeDSecure &&
    sameSteps(before.steps, after.steps)
  return same ? undefined : 'changed_otherwise'
}

function sameSteps(before: ReplayDecision['steps'], after: ReplayDecision['steps']): boolean {
  if (before?.length !== after?.length) return false
  return !before?.some(
    (step, at) =>
      step.payment_service_id !== after?.[at]?.payment_service_id || step.instrument !== after[at].instrument,
  )
}

export function destinationOf({ declined, steps }: ReplayDecision): RouteDestination {
  if (declined !== null) return 'nowhere'
  if (!steps) return 'not known'
  return steps[0] ? { at: steps[0].payment_service_id } : 'nowhere'
}

/** The key of a destination: no payment service's id equals one of the words. */
const destinationName = (destination: RouteDestination) =>
  typeof destination === 'string' ? destination : destination.at

const keyOf = ({ scheme, method, currency, merchant_initiated }: Segment) =>
  `${scheme ?? ''} ${method ?? ''} ${currency} ${merchant_initiated}`

function countMovement(
  { movements }: Tally,
  segment: Segment,
  before: RouteDestination,
  after: RouteDestination,
): void {
  const key = `${keyOf(segment)}|${destinationName(before)}|${destinationName(after)}`
  const movement = movements.get(key)
  if (movement) movement.transactions++
  else movements.set(key, { segment, before, after, transactions: 1 })
}

function countAttempt(
  { cells }: Tally,
  segment: Segment,
  { payment_service_id, approved }: NonNullable<ReplayedPayment['attempt']>,
): void {
  const key = segmentTriesKey(segment, payment_service_id)
  const existing = cells.get(key)
  const cell = existing ?? { segment, payment_service_id, tried: 0, approved: 0 }
  cell.tried++
  if (approved) cell.approved++
  if (!existing) cells.set(key, cell)
}

export const segmentTriesKey = (segment: Segment, paymentServiceId: string): string =>
  `${keyOf(segment)}|${paymentServiceId}`

function countRules({ rules }: Tally, decision: ReplayDecision, side: 'before' | 'after'): void {
  for (const action in decision.rules) {
    const rule_id = decision.rules[action as FlowAction]
    if (rule_id === undefined) continue
    const key = `${action} ${rule_id}`
    const existing = rules.get(key)
    const use = existing ?? { rule_id, action: action as FlowAction, before: 0, after: 0 }
    use[side]++
    if (!existing) rules.set(key, use)
  }
}

/** Examples of every kind of change, in turn, so that rare kinds are shown too. */
export function examplesOf({ examples }: Tally): Example[] {
  const turns = Array.from({ length: MAX_EXAMPLES }, (_, turn) =>
    decisionChanges.flatMap((change) => examples[change][turn] ?? []),
  )
  return turns.flat().slice(0, MAX_EXAMPLES)
}
