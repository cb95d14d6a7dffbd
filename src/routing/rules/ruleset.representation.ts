import type { FlowRule, FlowRules } from './rule.schema.ts'
import type { RulesetRow, StoredRule } from './ruleset.store.ts'

export const showRule = (rule: StoredRule): FlowRule => ({ type: 'flow-rule', ...rule })

export const versionOf = ({ flow, version, state, created_at, updated_at, published_at }: RulesetRow) => ({
  flow,
  version,
  state,
  created_at,
  updated_at,
  published_at,
})
export const showRules = (row: RulesetRow): FlowRules => ({
  type: 'flow-rules',
  ...versionOf(row),
  items: row.rules.map(showRule),
})
