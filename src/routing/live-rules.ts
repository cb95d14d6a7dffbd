import type { World } from '../world.ts'
import type { Flow } from './action.schema.ts'
import { type CompiledRules, compileRules } from './compile.ts'
import { toRule } from './rules/rule-problems.ts'
import type { RulesetRow } from './rules/ruleset.store.ts'

/** The live rules of an account, by flow; a flow without rules is absent. */
export type LiveRules = ReadonlyMap<Flow, CompiledRules>

/** The live rules of an account. They are compiled once after each change, so a payment only reads a map. */
export const liveRules = (world: World, account: string): Promise<LiveRules> =>
  world.cache.get('flow_rules', account, () => loadLiveRules(world, account))

async function loadLiveRules({ db }: World, account: string): Promise<LiveRules> {
  const rows = await db
    .selectFrom('flow_rulesets')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('state', '=', 'live')
    .execute()
  return new Map(rows.map((row) => [row.flow, compileRuleset(row)]))
}

/** Compiles a stored version. */
export const compileRuleset = ({ flow, version, rules }: RulesetRow): CompiledRules =>
  compileRules({ flow, version, rules: rules.flatMap((rule) => toRule(rule) ?? []) })
