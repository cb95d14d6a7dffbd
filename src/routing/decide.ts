import type { FlowAction, TransactionAction } from './action.schema.ts'
import { type CompiledRule, type CompiledRules, firstMatch } from './compile.ts'
import type { Facts } from './facts.ts'
import type { Route, RouteStep } from './route.ts'
import type { FlowCode, OptionsOutcome } from './rules/outcome.schema.ts'
import type { RuleOf } from './rules/rule.schema.ts'
import { bucketOf, shareOf } from './split.ts'

/** What a decision is made for, besides the facts. */
export interface DecisionContext {
  /** A buyer is routed the same way each time (`split`); null: each payment by itself. */
  buyer: string | null
  transaction: string
  /** When it is decided, ISO 8601. */
  at: string
  /** Why a payment service that is not eligible is not, in words; absent: nobody asks. */
  ineligibilityReason?: (service: string) => string | null
}

/** What a rule that matched decided. */
export interface Decision<Outcome> {
  outcome: Outcome
  /** As transactions show it. */
  action: TransactionAction
}

/**
 * Which payment services are asked, in order (SEMANTICS §3.9). A function of what it is given alone. `eligible`: the payment services that could take the
 * payment, in the order that holds where no rule matches; `tried`: those that have refused it. A rule whose payment services cannot take the payment
 * gives no steps: one that routes to B only never silently uses A.
 */
export function decideRoute(
  rules: CompiledRules | undefined,
  facts: Facts,
  eligible: readonly string[],
  occasion: DecisionContext,
  tried: readonly string[] = [],
): Route {
  const match = rules && firstMatch(rules.rules['route-transaction'], facts)
  if (!match)
    return {
      steps: eligible.filter((id) => !tried.includes(id)).map((id) => ({ payment_service_id: id, instrument: null })),
      retriesOn: null,
      action: null,
    }
  const { attempts = [], split, retries } = match.rule.outcome
  const bucket = split && bucketOf(match.rule.id, occasion.buyer ?? occasion.transaction)
  const share = split && bucket !== undefined ? shareOf(split, bucket) : undefined
  const wanted: readonly RouteStep[] = (share?.attempts ?? attempts).map(({ payment_service_id, instrument = null }) => ({
    payment_service_id,
    instrument,
  }))
  const left = retries?.maximum === undefined ? wanted.length : Math.max(0, retries.maximum + 1 - tried.length)
  const possible = wanted.filter(({ payment_service_id: id }) => eligible.includes(id) && !tried.includes(id))
  const steps = possible.slice(0, left)
  const skipped = wanted.flatMap((step) => (steps.includes(step) ? [] : [{ payment_service_id: step.payment_service_id, reason: reason(step) }]))
  function reason({ payment_service_id: id }: RouteStep): string {
    if (tried.includes(id)) return 'was tried already'
    return eligible.includes(id) ? 'is beyond the attempts that the rule allows' : (occasion.ineligibilityReason?.(id) ?? 'cannot take this payment')
  }
  return {
    steps,
    retriesOn: retries?.on ?? null,
    action: actionOf(rules, match, facts, occasion, {
      type: 'card-routing',
      version: 2,
      result: steps.map((step) => ({ ...step, transformations: [] })),
      ...(skipped.length > 0 && { skipped }),
      ...(share && { split: { bucket, percent: share.percent, variant: (split?.indexOf(share) ?? 0) + 1 } }),
      ...(retries && { retries }),
    }),
  }
}

/** Whether a payment is refused before anybody is asked. Undefined: it is not. */
export function decideDecline(
  rules: CompiledRules | undefined,
  facts: Facts,
  occasion: DecisionContext,
): Decision<{ error_code: FlowCode }> | undefined {
  const match = rules && firstMatch(rules.rules['decline-early'], facts)
  if (!match) return undefined
  const outcome: { error_code: FlowCode } = { error_code: match.rule.outcome.error_code ?? 'flow_decline' }
  return { outcome, action: actionOf(rules, match, facts, occasion, { type: 'early-decline', version: 1, result: outcome }) }
}

/** Whether the card's issuer is not asked to authenticate the buyer. Undefined: no rule says so. */
export function decideSkip3ds(rules: CompiledRules | undefined, facts: Facts, occasion: DecisionContext): Decision<true> | undefined {
  const match = rules && firstMatch(rules.rules['skip-3ds'], facts)
  return match && { outcome: true, action: actionOf(rules, match, facts, occasion, { type: 'three-ds-skip', version: 1, result: { skip: true } }) }
}

/** Which payment options a buyer is shown, and what a card's form asks for. Undefined: no rule matches, all of them. */
export function decideOptions(rules: CompiledRules | undefined, facts: Facts): OptionsOutcome | undefined {
  return rules && firstMatch(rules.rules['select-payment-options'], facts)?.rule.outcome
}

function actionOf<Action extends FlowAction>(
  { flow, version }: CompiledRules,
  { rule, test }: { rule: Pick<RuleOf<Action>, 'id' | 'action' | 'display_name'> } & Pick<CompiledRule<Action>, 'test'>,
  facts: Facts,
  { at }: DecisionContext,
  outcome: Record<string, unknown>,
): TransactionAction {
  return {
    type: 'action',
    id: rule.action,
    flow,
    rule_id: rule.id,
    created_at: at,
    outcome: { ...outcome, rule: { name: rule.display_name, version }, because: test.matchedLeaves(facts, true) },
  }
}
