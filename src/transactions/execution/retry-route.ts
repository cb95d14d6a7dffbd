import type { OpenCircuitSkip } from '../../payment-services/health/open-circuits.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { TransactionAction } from '../../routing/action.schema.ts'
import type { CompiledRules } from '../../routing/compile.ts'
import type { DecisionContext } from '../../routing/decide.ts'
import type { Facts } from '../../routing/facts.ts'
import {
  beyondMaximum,
  lackingInstrument,
  type Route,
  type RouteInstrument,
  type RouteStep,
} from '../../routing/route.ts'
import type { PresentedInstrument } from '../create/instrument.ts'

/** What decides the next attempt of a payment after a refusal. */
export interface RetryRoute {
  rules: CompiledRules | undefined
  /** As they were before the first attempt. */
  facts: Facts
  /** The payment services that could take it, in the order that holds without rules. */
  eligible: readonly string[]
  occasion: DecisionContext
  /** Those that have refused it. */
  tried: readonly string[]
  /** The refusals after which another is tried; null: every retriable one. */
  retriesOn: readonly string[] | null
}

/** The first step of a route that can be made. */
export interface SelectedStep {
  service?: ConfiguredService
  /** How the payment is shown to it, where the route says how. */
  presented?: PresentedInstrument
  /** The decision, with the steps that could not be made among those it skipped. */
  action: TransactionAction | null
  retriesOn: readonly string[] | null
}

/** The route around payment services that are held back; the decision tells which. */
export function withoutOpenCircuits(
  { steps, action, ...limits }: Route,
  skipped: readonly OpenCircuitSkip[],
): Route {
  const isLeft = (step: { payment_service_id: string }) =>
    !skipped.some(({ payment_service_id: id }) => id === step.payment_service_id)
  const left = steps.filter(isLeft)
  if (!action || skipped.length === 0) return { steps: left, action, ...limits }
  return { steps: left, action: decisionWith(action, left, skipped), ...limits }
}

/**
 * Takes the first step of a route whose instrument there is. `show` answers undefined where there is none of
 * that kind.
 */
export async function firstPossibleStep(
  { steps, attemptsLeft, action, retriesOn }: Route,
  services: readonly ConfiguredService[],
  show: (service: ConfiguredService, instrument: RouteInstrument) => Promise<PresentedInstrument | undefined>,
): Promise<SelectedStep> {
  const passed: SkippedStep[] = []
  const decisionFor = (left: readonly RouteStep[]) => withSkippedSteps(action, left, attemptsLeft, passed)
  for (const [at, { payment_service_id, instrument }] of steps.entries()) {
    const service = services.find(({ id }) => id === payment_service_id)
    if (!service) continue
    const left = steps.slice(at)
    if (instrument === null) return { service, action: decisionFor(left), retriesOn }
    const shown = await show(service, instrument)
    if (shown) return { service, presented: shown, action: decisionFor(left), retriesOn }
    passed.push({ payment_service_id, reason: lackingInstrument[instrument] })
  }
  return { action: decisionFor([]), retriesOn }
}

interface SkippedStep {
  payment_service_id: string
  reason: string
}

/** The decision with the attempts that may be made of those that are left; the others are skipped. */
function withSkippedSteps(
  action: TransactionAction | null,
  left: readonly RouteStep[],
  attemptsLeft: number,
  passed: readonly SkippedStep[],
): TransactionAction | null {
  const beyond = left
    .slice(attemptsLeft)
    .map(({ payment_service_id }) => ({ payment_service_id, reason: beyondMaximum }))
  if (!action || passed.length + beyond.length === 0) return action
  return decisionWith(action, left.slice(0, attemptsLeft), [...passed, ...beyond])
}

/** The decision with these steps, and with others among those that it skipped. */
function decisionWith(
  action: TransactionAction,
  steps: readonly RouteStep[],
  more: readonly object[],
): TransactionAction {
  const { outcome } = action
  const skipped = [...(Array.isArray(outcome['skipped']) ? outcome['skipped'] : []), ...more]
  const result = steps.map((step) => ({ ...step, transformations: [] }))
  return { ...action, outcome: { ...outcome, result, skipped } }
}
