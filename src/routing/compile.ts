import type { Flow, FlowAction } from './action.schema.ts'
import { type CompiledCondition, compileCondition } from './conditions/condition.ts'
import type { Facts } from './facts.ts'
import type { Rule, RuleOf } from './rules/rule.schema.ts'

export interface CompiledRule<Action extends FlowAction = FlowAction> {
  rule: RuleOf<Action>
  test: CompiledCondition
}

/** A compiled version of a flow's rules. */
export interface CompiledRules {
  flow: Flow
  version: number
  /** By action, in order, without inactive rules. */
  rules: { [Action in FlowAction]: readonly CompiledRule<Action>[] }
}

export interface Ruleset {
  flow: Flow
  version: number
  rules: readonly Rule[]
}

export function compileRules({ flow, version, rules }: Ruleset): CompiledRules {
  const compileAction = <Action extends FlowAction>(action: Action): CompiledRule<Action>[] =>
    rules.flatMap((rule) =>
      rule.active && isRuleOf(rule, action) ? [{ rule, test: compileCondition(rule.condition) }] : [],
    )
  return {
    flow,
    version,
    rules: {
      'route-transaction': compileAction('route-transaction'),
      'decline-early': compileAction('decline-early'),
      'skip-3ds': compileAction('skip-3ds'),
      'select-payment-options': compileAction('select-payment-options'),
    },
  }
}

const isRuleOf = <Action extends FlowAction>(rule: Rule, action: Action): rule is RuleOf<Action> =>
  rule.action === action

/** The first rule whose condition holds; that rule decides (semantics §3.9). */
export function firstMatch<Action extends FlowAction>(
  rules: readonly CompiledRule<Action>[],
  facts: Facts,
): CompiledRule<Action> | undefined {
  for (const compiled of rules) if (compiled.test.holds(facts)) return compiled
  return undefined
}
