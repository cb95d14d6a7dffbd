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
  /** Null: the rules are not saved. */
  version: number | null
  compiled: CompiledRules
  /** The display name of each rule, by its id. */
  names: ReadonlyMap<string, string>
}

/** The rules that a request replays. Throws 400 with their problems. */
export async function selectRulesToReplay(
  world: World,
  account: string,
  flow: ReplayableFlow,
  body: FlowRulesReplayCreate,
): Promise<ReplayedRules> {
  const selectors = (['rules', 'state', 'version'] as const).filter((name) => body[name] !== undefined)
  if (selectors.length > 1)
    throw invalid(
      Object.fromEntries(
        selectors.map((name) => [
          `/${name}`,
          'is one of rules, state and version, of which one may be there',
        ]),
      ),
    )
  if (body.rules) {
    const rules = await inlineRules(world, account, flow, body.rules)
    return {
      state: 'inline',
      version: null,
      compiled: compileRules({ flow, version: 0, rules }),
      names: namesOf(rules),
    }
  }
  const which = body.version ?? body.state ?? 'draft'
  const row = await findRuleset(world, { account, flow }, which)
  if (!row)
    throw invalid({
      [body.version === undefined ? '/state' : '/version']:
        typeof which === 'number'
          ? 'is not a version of this flow'
          : `names rules that there are none of: no ${which} exists`,
    })
  return { state: row.state, version: row.version, compiled: compileRuleset(row), names: namesOf(row.rules) }
}

const namesOf = (rules: readonly Pick<Rule, 'id' | 'display_name'>[]) =>
  new Map(rules.map(({ id, display_name }) => [id, display_name]))

async function inlineRules(
  world: World,
  account: string,
  flow: ReplayableFlow,
  inline: NonNullable<FlowRulesReplayCreate['rules']>,
): Promise<Rule[]> {
  const services = await paymentServices(world, account)
  const identified = inline.map(({ type: _, id = world.ids.next(), ...rule }) => ({ ...rule, id }))
  const problems: Record<string, string> = Object.assign(
    {},
    ...identified.map((rule, index) => ruleProblems(flow, rule, services, `/rules/${index}`)),
  )
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return identified.flatMap((rule) => toRule(rule) ?? [])
}
