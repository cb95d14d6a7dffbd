import { setImmediate as turn } from 'node:timers/promises'
import type { OpenCircuitSkip } from '../../payment-services/health/open-circuits.ts'
import type { World } from '../../world.ts'
import type { Flow, FlowAction } from '../action.schema.ts'
import type { CompiledRules } from '../compile.ts'
import { type DecisionContext, decideDecline, decideRoute, decideSkip3ds } from '../decide.ts'
import { factsOf } from '../facts.ts'
import { lackingInstrument, type RouteInstrument, type RouteStep } from '../route.ts'
import { countPayments, pagesOf, type RecordedPayment, type ReplayWindow } from './replay-source.ts'
import {
  newTally,
  type ReplayDecision,
  type ReplayedPayment,
  type Segment,
  type Tally,
  tallyPayment,
} from './replay-tally.ts'

/** The flows whose rules decide on transactions, and their actions (semantics §3.16). */
const decidedActions = {
  'card-transaction': ['decline-early', 'skip-3ds', 'route-transaction'],
  'redirect-transaction': ['route-transaction'],
  'non-card-transaction': ['decline-early'],
} as const satisfies Partial<Record<Flow, readonly FlowAction[]>>
export type ReplayableFlow = keyof typeof decidedActions

export const replayableFlows = [
  'card-transaction',
  'redirect-transaction',
  'non-card-transaction',
] as const satisfies readonly ReplayableFlow[]

export const isReplayable = (flow: Flow): flow is ReplayableFlow => Object.hasOwn(decidedActions, flow)

export interface ReplayRequest {
  window: ReplayWindow
  flow: ReplayableFlow
  rules: CompiledRules
  /** The largest number of transactions. */
  transactions: number
}

export interface Progress {
  done: number
  /** An upper bound: the number of transactions of this flow is not known beforehand. */
  total: number
}

export interface ReplayOutcome {
  tally: Tally
  leftOut: { named: number; corrected: number }
  oldest: string | null
  newest: string | null
}

/**
 * The number of payments that are decided without a pause, some 2 ms; payments of the same process run in
 * between.
 */
const BATCH_SIZE = 200

/**
 * Decides an account's last transactions again and yields the progress. A caller that stops early returns the
 * generator: nothing more is read.
 */
export async function* replay(
  world: World,
  { window, flow, rules, transactions: most }: ReplayRequest,
): AsyncGenerator<Progress, ReplayOutcome> {
  const outcome: ReplayOutcome = {
    tally: newTally(),
    leftOut: { named: 0, corrected: 0 },
    oldest: null,
    newest: null,
  }
  const { tally, leftOut } = outcome
  const total = await countPayments(world, window, most)
  for await (const payments of pagesOf(world, window)) {
    for (const [index, payment] of payments.entries()) {
      if (index % BATCH_SIZE === BATCH_SIZE - 1) await turn()
      if (!isOfFlow(payment, flow)) continue
      if (payment.namesService) leftOut.named++
      else if (payment.corrected) leftOut.corrected++
      else {
        tallyPayment(tally, replayPayment(rules, flow, payment))
        outcome.newest ??= payment.created_at
        outcome.oldest = payment.created_at
      }
      if (tally.total === most) return outcome
    }
    yield { done: Math.min(tally.total, total), total }
  }
  return outcome
}

const cards: ReadonlySet<string | null> = new Set([
  'card',
  'applepay',
  'googlepay',
  'click-to-pay',
  'network-token',
])

export function isOfFlow({ method }: RecordedPayment, flow: ReplayableFlow): boolean {
  if (cards.has(method)) return flow === 'card-transaction'
  return flow === 'non-card-transaction' || (flow === 'redirect-transaction' && method !== 'gift-card')
}

/** Decides one payment again: as it was decided then, and by these rules. */
export function replayPayment(
  rules: CompiledRules,
  flow: ReplayableFlow,
  payment: RecordedPayment,
): ReplayedPayment {
  const before = decisionThen(payment)
  return {
    id: payment.id,
    segment: segmentOf(payment),
    before,
    after: decisionNow(rules, flow, payment, before),
    attempt: attemptOf(payment),
  }
}

const segmentOf = ({ payment_method, method, currency, merchant_initiated }: RecordedPayment): Segment => ({
  scheme: payment_method.scheme,
  method: payment_method.scheme === null ? method : null,
  currency,
  merchant_initiated,
})

/**
 * The first attempt to take money. A failed approval is none, and neither is an attempt at another payment
 * service after it.
 */
function attemptOf({
  firstServiceId,
  firstMoneyServiceId,
  attempt_status: status,
}: RecordedPayment): ReplayedPayment['attempt'] {
  if (firstMoneyServiceId === null || firstMoneyServiceId !== firstServiceId) return null
  if (status !== 'approved' && status !== 'declined' && status !== 'failed') return null
  return { payment_service_id: firstMoneyServiceId, approved: status === 'approved' }
}

/**
 * The decision then: the transaction's actions or, if no rule matched, the order of the eligible services.
 */
function decisionThen(payment: RecordedPayment): ReplayDecision {
  const actions = payment.actions ?? []
  // after a refusal rules may have decided again: the first decision counts
  const first = (id: FlowAction) => actions.find((action) => action.id === id)
  const decline = first('decline-early')
  const skip = first('skip-3ds')
  const route = first('route-transaction')
  return {
    declined: decline ? (payment.error_code ?? '') : null,
    skipsThreeDSecure: skip !== undefined,
    steps: decline ? [] : route ? (route.result ?? []).map(stepOf) : eligibleOf(payment).map(anyInstrument),
    rules: {
      ...(decline && { 'decline-early': decline.rule_id }),
      ...(skip && { 'skip-3ds': skip.rule_id }),
      ...(route && { 'route-transaction': route.rule_id }),
    },
  }
}

const instruments: ReadonlySet<string> = new Set([
  'pan',
  'network_token',
  'service_token',
] satisfies RouteInstrument[])
const isInstrument = (word: string | null): word is RouteInstrument => word !== null && instruments.has(word)

const stepOf = ({
  payment_service_id,
  instrument,
}: {
  payment_service_id: string
  instrument: string | null
}): RouteStep => ({
  payment_service_id,
  instrument: isInstrument(instrument) ? instrument : null,
})
const anyInstrument = (payment_service_id: string): RouteStep => ({ payment_service_id, instrument: null })

/**
 * The services that could have taken the payment, in order. A row without a list had no choice: only the
 * service that was tried, or none.
 */
function eligibleOf({ eligible, firstServiceId, payment_service_id }: RecordedPayment): readonly string[] {
  const only = firstServiceId ?? payment_service_id
  return eligible ?? (only === null ? [] : [only])
}

/** The decision of the replayed rules. Actions that the flow does not have keep their decision. */
function decisionNow(
  rules: CompiledRules,
  flow: ReplayableFlow,
  payment: RecordedPayment,
  before: ReplayDecision,
): ReplayDecision {
  const facts = factsOf(payment)
  const context: DecisionContext = {
    buyer: facts.buyer_id ?? facts.buyer_external_identifier,
    transaction: payment.id,
    at: payment.created_at,
  }
  const decides = (action: FlowAction) => decidedActions[flow].some((each) => each === action)
  const decline = decides('decline-early') ? decideDecline(rules, facts, context) : undefined
  if (decline)
    return {
      declined: decline.outcome.error_code,
      skipsThreeDSecure: false,
      steps: [],
      rules: { 'decline-early': decline.action.rule_id },
    }
  // the eligible services of a payment that was declined early were never determined
  if (before.declined !== null && payment.eligible === null)
    return { declined: null, skipsThreeDSecure: false, steps: null, rules: {} }
  const skip = decides('skip-3ds') ? decideSkip3ds(rules, facts, context) : undefined
  const route = decides('route-transaction')
    ? decideRoute(rules, facts, eligibleOf(payment), context)
    : undefined
  const routed = route?.action?.rule_id ?? (route ? undefined : before.rules['route-transaction'])
  return {
    declined: null,
    skipsThreeDSecure: skip !== undefined,
    steps: route ? possibleSteps(route.steps, payment).slice(0, route.attemptsLeft) : before.steps,
    rules: {
      ...(skip && { 'skip-3ds': skip.action.rule_id }),
      ...(routed !== undefined && { 'route-transaction': routed }),
    },
  }
}

/**
 * Skips the steps that were skipped then: payment services whose circuit was open, and steps whose instrument
 * was missing.
 */
function possibleSteps(steps: readonly RouteStep[], { actions }: RecordedPayment): readonly RouteStep[] {
  const skipped = actions?.find(({ id }) => id === 'route-transaction')?.skipped
  if (!skipped) return steps
  const wasSkipped = (id: string, reason: string) =>
    skipped.some((step) => step.payment_service_id === id && step.reason === reason)
  const open = steps.filter(
    ({ payment_service_id: id }) => !wasSkipped(id, 'circuit_open' satisfies OpenCircuitSkip['reason']),
  )
  const first = open.findIndex(
    ({ payment_service_id: id, instrument }) =>
      instrument === null || !wasSkipped(id, lackingInstrument[instrument]),
  )
  return first === -1 ? [] : open.slice(first)
}
