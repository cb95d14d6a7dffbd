import type { OpenCircuitSkip } from '../../payment-services/health/open-circuits.ts'
import type { ConfiguredService } from '../../payment-services/payment-service.store.ts'
import type { TransactionAction } from '../../routing/action.schema.ts'
import type { CompiledRules } from '../../routing/compile.ts'
import type { DecisionContext } from '../../routing/decide.ts'
import type { Facts } from '../../routing/facts.ts'
import { lackingInstrument, type Route, type RouteInstrument } from '../../routing/route.ts'
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
  { steps, action, retriesOn }: Route,
  skipped: readonly OpenCircuitSkip[],
): Route {
  const isLeft = (step: { payment_service_id: string }) =>
    !skipped.some(({ payment_service_id: id }) => id === step.payment_service_id)
  const left = steps.filter(isLeft)
  if (!action || skipped.length === 0) return { steps: left, action, retriesOn }
  const { outcome } = action
  const told = [...(Array.isArray(outcome['skipped']) ? outcome['skipped'] : []), ...skipped]
  const result = left.map((step) => ({ ...step, transformations: [] }))
  return { steps: left, action: { ...action, outcome: { ...outcome, result, skipped: told } }, retriesOn }
}

/**
 * Takes the first step of a route whose instrument there is. `show` answers undefined where there is none of
 * that kind.
 */
export async function firstPossibleStep(
  { steps, action, retriesOn }: Route,
  services: readonly ConfiguredService[],
  show: (service: ConfiguredService, instrument: RouteInstrument) => Promise<PresentedInstrument | undefined>,
): Promise<SelectedStep> {
  const passed: { payment_service_id: string; reason: string }[] = []
  for (const { payment_service_id, instrument } of steps) {
    const service = services.find(({ id }) => id === payment_service_id)
    if (!service) continue
    if (instrument === null) return { service, action: withSkippedSteps(action, passed), retriesOn }
    const shown = await show(service, instrument)
    if (shown) return { service, presented: shown, action: withSkippedSteps(action, passed), retriesOn }
    passed.push({ payment_service_id, reason: lackingInstrument[instrument] })
  }
  return { action: withSkippedSteps(action, passed), retriesOn }
}

function withSkippedSteps(
  action: TransactionAction | null,
  passed: readonly { payment_service_id: string; reason: string }[],
): TransactionAction | null {
  if (!action || passed.length === 0) return action
  const { result, skipped } = action.outcome
  const left = Array.isArray(result) ? result.slice(passed.length) : result
  return {
    ...action,
    outcome: {
      ...action.outcome,
      result: left,
      skipped: [...(Array.isArray(skipped) ? skipped : []), ...passed],
    },
  }
}
