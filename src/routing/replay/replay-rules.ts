import { invalid } from '../../api/errors.ts'
import { paymentServices } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { type CompiledRules, compileRules } from '../compile.ts'
import { compileRuleset } from '../live-rules.ts'
import type { Rule } from '../rules/rule.schema.ts'
import { ruleProblems, toRule } from '../rules/rule-problems.ts'
import { findRuleset } from '../rules/ruleset.store.ts'
import type { FlowRulesReplay, FlowRulesReplayCreate } from './replay.schema.ts'
import type { ReplayableFlow } from './replay.ts'

export interface ReplayedRules {
  state: FlowRulesReplay['rules']['state']
  /** Null: they are saved nowhere. */
  version: number | null
  compiled: CompiledRules
  /** What each rule is called, by its id. */
  names: ReadonlyMap<string, string>
}

/** The rules that a request asks to replay. Throws 400 naming what is wrong with them. */
export async function selectRulesToReplay(world: World, account: string, flow: ReplayableFlow, asked: FlowRulesReplayCreate): Promise<ReplayedRules> {
  const given = (['rules', 'state', 'version'] as const).filter((name) => asked[name] !== undefined)
  if (given.length > 1)
    throw invalid(Object.fromEntries(given.map((name) => [`/${name}`, 'is one of rules, state and version, of which one may be there'])))
  if (asked.rules) {
    const rules = await inlineRules(world, account, flow, asked.rules)
    return { state: 'inline', version: null, compiled: compileRules({ flow, version: 0, rules }), names: namesOf(rules) }
  }
  const which = asked.version ?? asked.state ?? 'draft'
  const row = await findRuleset(world, { account, flow }, which)
  if (!row)
    throw invalid({
      [asked.version === undefined ? '/state' : '/version']:
        typeof which === 'number' ? 'is not a version of this flow' : `names rules that there are none of: no ${which} exists`,
    })
  return { state: row.state, version: row.version, compiled: compileRuleset(row), names: namesOf(row.rules) }
}

const namesOf = (rules: readonly Pick<Rule, 'id' | 'display_name'>[]) => new Map(rules.map(({ id, display_name }) => [id, display_name]))

async function inlineRules(world: World, account: string, flow: ReplayableFlow, given: NonNullable<FlowRulesReplayCreate['rules']>): Promise<Rule[]> {
  const services = await paymentServices(world, account)
  const identified = given.map(({ type: _, id = world.ids.next(), ...rule }) => ({ ...rule, id }))
  const problems: Record<string, string> = Object.assign(
    {},
    ...identified.map((rule, index) => ruleProblems(flow, rule, services, `/rules/${index}`)),
  )
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return identified.flatMap((rule) => toRule(rule) ?? [])
}
