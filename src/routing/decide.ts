import type { FlowAction, TransactionAction } from './action.schema.ts'
import { type CompiledRule, type CompiledRules, firstMatch } from './compile.ts'
import type { Facts } from './facts.ts'
import { beyondMaximum, type Route, type RouteStep } from './route.ts'
import type { FlowCode, OptionsOutcome } from './rules/outcome.schema.ts'
import type { RuleOf } from './rules/rule.schema.ts'
import { bucketOf, shareOf } from './split.ts'

/** The input of a decision besides the facts. */
export interface DecisionContext {
  /** A buyer always gets the same share of a `split`; null: each payment gets its own. */
  buyer: string | null
  transaction: string
  /** The time of the decision, ISO 8601. */
  at: string
  /** The reason why a payment service is not eligible; absent: decisions show no such reasons. */
  ineligibilityReason?: (service: string) => string | null
}

/** The decision of a rule that matched. */
export interface Decision<Outcome> {
  outcome: Outcome
  /** The action that the transaction shows. */
  action: TransactionAction
}

/**
 * The payment services to try, in order (semantics §3.9). It depends on its arguments only. `eligible`: the
 * payment services that could take the payment, in the order that applies if no rule matches; `tried`: those
 * that have refused it. If no payment service of the rule can take the payment there are no steps: a rule
 * that routes to B only never uses A.
 */
export function decideRoute(
  rules: CompiledRules | undefined,
  facts: Facts,
  eligible: readonly string[],
  context: DecisionContext,
  tried: readonly string[] = [],
): Route {
  const match = rules && firstMatch(rules.rules['route-transaction'], facts)
  if (!match)
    return {
      steps: eligible
        .filter((id) => !tried.includes(id))
        .map((id) => ({ payment_service_id: id, instrument: null })),
      attemptsLeft: eligible.length,
      retriesOn: null,
      action: null,
    }
  const { attempts = [], split, retries } = match.rule.outcome
  const bucket = split && bucketOf(match.rule.id, context.buyer ?? context.transaction)
  const share = split && bucket !== undefined ? shareOf(split, bucket) : undefined
  const requested: readonly RouteStep[] = (share?.attempts ?? attempts).map(
    ({ payment_service_id, instrument = null }) => ({
      payment_service_id,
      instrument,
    }),
  )
  const attemptsLeft =
    retries?.maximum === undefined ? requested.length : Math.max(0, retries.maximum + 1 - tried.length)
  const possible = requested.filter(
    ({ payment_service_id: id }) => eligible.includes(id) && !tried.includes(id),
  )
  // all of them, as some may not be made: only attempts that are made count
  const steps = attemptsLeft > 0 ? possible : []
  const skipped = requested.flatMap((step) =>
    steps.includes(step) ? [] : [{ payment_service_id: step.payment_service_id, reason: reason(step) }],
  )
  function reason({ payment_service_id: id }: RouteStep): string {
    if (tried.includes(id)) return 'was tried already'
    return eligible.includes(id)
      ? beyondMaximum
      : (context.ineligibilityReason?.(id) ?? 'cannot take this payment')
  }
  return {
    steps,
    attemptsLeft,
    retriesOn: retries?.on ?? null,
    action: actionOf(rules, match, facts, context, {
      type: 'card-routing',
      version: 2,
      result: steps.map((step) => ({ ...step, transformations: [] })),
      ...(skipped.length > 0 && { skipped }),
      ...(share && { split: { bucket, percent: share.percent, variant: (split?.indexOf(share) ?? 0) + 1 } }),
      ...(retries && { retries }),
    }),
  }
}

/** The early decline of a payment, before any payment service is tried; undefined: it is not declined. */
export function decideDecline(
  rules: CompiledRules | undefined,
  facts: Facts,
  context: DecisionContext,
): Decision<{ error_code: FlowCode }> | undefined {
  const match = rules && firstMatch(rules.rules['decline-early'], facts)
  if (!match) return undefined
  const outcome: { error_code: FlowCode } = { error_code: match.rule.outcome.error_code ?? 'flow_decline' }
  return {
    outcome,
    action: actionOf(rules, match, facts, context, { type: 'early-decline', version: 1, result: outcome }),
  }
}

/** Decides to skip the cardholder's authentication; undefined: no rule skips it. */
export function decideSkip3ds(
  rules: CompiledRules | undefined,
  facts: Facts,
  context: DecisionContext,
): Decision<true> | undefined {
  const match = rules && firstMatch(rules.rules['skip-3ds'], facts)
  return (
    match && {
      outcome: true,
      action: actionOf(rules, match, facts, context, {
        type: 'three-ds-skip',
        version: 1,
        result: { skip: true },
      }),
    }
  )
}

/**
 * The payment options that the buyer sees, and the fields that a card form requires; undefined: no rule
 * matches, and all options are shown.
 */
export function decideOptions(rules: CompiledRules | undefined, facts: Facts): OptionsOutcome | undefined {
  return rules && firstMatch(rules.rules['select-payment-options'], facts)?.rule.outcome
}

function actionOf<Action extends FlowAction>(
  { flow, version }: CompiledRules,
  {
    rule,
    test,
  }: { rule: Pick<RuleOf<Action>, 'id' | 'action' | 'display_name'> } & Pick<CompiledRule<Action>, 'test'>,
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
    outcome: {
      ...outcome,
      rule: { name: rule.display_name, version },
      because: test.matchedLeaves(facts, true),
    },
  }
}
