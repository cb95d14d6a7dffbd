import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Open, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'
import { Flow, FlowAction } from '../action.schema.ts'
import type { Condition } from '../conditions/condition.schema.ts'
import type { outcomes } from './outcome.schema.ts'

/** A rule without problems (`ruleProblems`); the type of its outcome follows from its action. */
export type Rule = {
  [Action in FlowAction]: {
    id: string
    display_name: string
    active: boolean
    action: Action
    condition: Condition
    outcome: Static<(typeof outcomes)[Action]>
  }
}[FlowAction]
export type RuleOf<Action extends FlowAction> = Extract<Rule, { action: Action }>

const name = Described(Text(1, 200), 'What transactions that it decided are told it is called')
const condition = Described(
  Open,
  'When it applies: `{ all: [...] }`, `{ any: [...] }`, `{ not: ... }` or `{ field, operator, value }`; `{ all: [] }` always does. docs/guides/routing.md lists the fields',
)
const outcome = Described(
  Open,
  'What it decides. route-transaction: `{ attempts | split, retries? }`; decline-early: `{ error_code? }`; skip-3ds: `{}`; select-payment-options: `{ methods?, required_fields? }`',
)

export const FlowRule = Closed('FlowRule', {
  type: Type.Literal('flow-rule'),
  id: Uuid,
  display_name: name,
  action: FlowAction,
  active: Type.Boolean(),
  condition,
  outcome,
})
export type FlowRule = Static<typeof FlowRule>

const writable = {
  display_name: name,
  action: FlowAction,
  active: Type.Optional(Described(Type.Boolean(), 'false: it is kept and has no say')),
  condition,
  outcome: Type.Optional(outcome),
}

export const FlowRuleUpdate = Closed('FlowRuleUpdate', writable)
export type FlowRuleUpdate = Static<typeof FlowRuleUpdate>

export const FlowRuleCreate = Closed('FlowRuleCreate', {
  ...writable,
  position: Type.Optional(
    Nullable(
      Described(
        Type.Integer({ minimum: 0, maximum: 100 }),
        'Where it goes, 0 is the first; absent: the last',
      ),
    ),
  ),
})
export type FlowRuleCreate = Static<typeof FlowRuleCreate>

export const FlowRulesReplace = Closed('FlowRulesReplace', {
  items: Type.Array(
    Closed('FlowRuleReplace', {
      type: Type.Optional(Type.Literal('flow-rule')),
      id: Type.Optional(Described(Uuid, 'Of a rule that stays the one it was; absent: a new rule')),
      ...writable,
    }),
    { maxItems: 100 },
  ),
})
export type FlowRulesReplace = Static<typeof FlowRulesReplace>

export const RulesState = Words('draft', 'live', 'retired')
export type RulesState = Static<typeof RulesState>

/** The version that a request reads; absent: the live one. */
export const RulesChoice = Type.Object({
  state: Type.Optional(
    Nullable(Described(Words('live', 'draft'), 'The rules that decide now, or those that are being edited')),
  ),
  version: Type.Optional(
    Nullable(
      Described(
        Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
        'A version by its number, whatever its state',
      ),
    ),
  ),
})

const version = {
  flow: Flow,
  version: Type.Integer({ description: 'Counts up with each draft of the flow' }),
  state: RulesState,
  created_at: Timestamp,
  updated_at: Timestamp,
  published_at: Nullable(Timestamp),
}

export const FlowRules = Closed('FlowRules', {
  type: Type.Literal('flow-rules'),
  ...version,
  items: Type.Array(FlowRule),
})
export type FlowRules = Static<typeof FlowRules>

export const FlowVersion = Closed('FlowVersion', {
  type: Type.Literal('flow-version'),
  ...version,
  rules: Type.Integer(),
})
export type FlowVersion = Static<typeof FlowVersion>
