import { Type } from 'typebox'
import { invalid, notFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import { isSame } from '../../database/rows/would-change.ts'
import { Flow } from '../action.schema.ts'
import { FlowRule, FlowRuleCreate, FlowRules, FlowRulesReplace, FlowRuleUpdate } from './rule.schema.ts'
import { showRule, showRules } from './ruleset.representation.ts'
import { dropDraft, editDraft, findRuleset, type StoredRule } from './ruleset.store.ts'

const tags = ['Flows']
const headers = merchantAccountHeader
const params = Type.Object({ flow: Flow })
const ruleParams = Type.Object({ flow: Flow, rule_id: Uuid })
const read = { scopes: ['flows.read'] }
const write = { scopes: ['flows.write'] }

/** The complete rule in a request. */
const toStoredRule = (
  id: string,
  { display_name, action, active, condition, outcome }: FlowRuleUpdate,
): StoredRule => ({
  id,
  display_name,
  action,
  active: active ?? true,
  condition,
  outcome: outcome ?? {},
})

/** Routes that edit the draft: no draft decides before it is published. */
export const ruleDraftRoutes: Routes = (app, world) => {
  app.post(
    '/flows/:flow/rules',
    {
      config: write,
      schema: {
        operationId: 'create_flow_rule',
        summary: 'Add a rule',
        description: 'Adds a rule to the draft, which begins as a copy of the live rules.',
        tags,
        headers,
        params,
        body: FlowRuleCreate,
        response: { 201: FlowRule },
      },
    },
    async ({ account, params: { flow }, body: { position, ...values } }, reply) => {
      const rule = toStoredRule(world.ids.next(), values)
      const added = (rules: readonly StoredRule[]) => rules.toSpliced(position ?? rules.length, 0, rule)
      await editDraft(world, { account, flow }, added, (_, { id }) => (id === rule.id ? '' : undefined), {
        action: 'created',
        rule,
      })
      return reply.code(201).send(showRule(rule))
    },
  )

  app.put(
    '/flows/:flow/rules',
    {
      config: write,
      schema: {
        operationId: 'replace_flow_rules',
        summary: 'Replace the draft',
        description: 'Makes these the rules of the draft, in this order.',
        tags,
        headers,
        params,
        body: FlowRulesReplace,
        response: { 200: FlowRules },
      },
    },
    async ({ account, params: { flow }, body: { items } }) => {
      const named = items.map(({ id }) => (id ? canonicalId(id) : undefined))
      const duplicate = named.findIndex((id, index) => id !== undefined && named.indexOf(id) < index)
      if (duplicate >= 0) throw invalid({ [`/items/${duplicate}/id`]: 'is the id of two rules' })
      // a rule without an id that equals the rule at its index keeps that rule's id
      const replaced = (rules: readonly StoredRule[]) =>
        items.map(({ id: _, type: __, ...values }, index) => {
          const current = rules[index]
          const isUnchanged =
            current && !named.includes(current.id) && isSame(toStoredRule(current.id, values), current)
          return toStoredRule(named[index] ?? (isUnchanged ? current.id : world.ids.next()), values)
        })
      return showRules(await editDraft(world, { account, flow }, replaced, (index) => `/items/${index}`))
    },
  )

  app.delete(
    '/flows/:flow/rules',
    {
      config: write,
      schema: {
        operationId: 'delete_flow_rules_draft',
        summary: 'Drop the draft',
        description: 'Forgets what was edited; what is live stays.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params: { flow } }, reply) => {
      if (!(await dropDraft(world, { account, flow }))) throw notFound('There is no draft of this flow')
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/flows/:flow/rules/:rule_id',
    {
      config: read,
      schema: {
        operationId: 'get_flow_rule',
        summary: 'Get a rule',
        description: 'A rule of the draft; where there is no draft, of the live rules.',
        tags,
        headers,
        params: ruleParams,
        response: { 200: FlowRule },
      },
    },
    async ({ account, params: { flow, rule_id } }) => {
      const key = { account, flow }
      const row = (await findRuleset(world, key, 'draft')) ?? (await findRuleset(world, key, 'live'))
      return showRule(findRule(row?.rules ?? [], rule_id))
    },
  )

  app.put(
    '/flows/:flow/rules/:rule_id',
    {
      config: write,
      schema: {
        operationId: 'update_flow_rule',
        summary: 'Change a rule',
        description: 'Replaces a rule of the draft, at its place.',
        tags,
        headers,
        params: ruleParams,
        body: FlowRuleUpdate,
        response: { 200: FlowRule },
      },
    },
    async ({ account, params: { flow, rule_id }, body }) => {
      const rule = toStoredRule(canonicalId(rule_id), body)
      const changed = (rules: readonly StoredRule[]) =>
        rules.with(rules.indexOf(findRule(rules, rule.id)), rule)
      await editDraft(world, { account, flow }, changed, (_, { id }) => (id === rule.id ? '' : undefined), {
        action: 'updated',
        rule,
      })
      return showRule(rule)
    },
  )

  app.delete(
    '/flows/:flow/rules/:rule_id',
    {
      config: write,
      schema: {
        operationId: 'delete_flow_rule',
        summary: 'Delete a rule',
        description: 'Takes a rule out of the draft.',
        tags,
        headers,
        params: ruleParams,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params: { flow, rule_id } }, reply) => {
      const without = (rules: readonly StoredRule[]) =>
        rules.toSpliced(rules.indexOf(findRule(rules, rule_id)), 1)
      const rule = { id: canonicalId(rule_id), display_name: null }
      await editDraft(world, { account, flow }, without, () => undefined, { action: 'deleted', rule })
      return reply.code(204).send(null)
    },
  )
}

function findRule(rules: readonly StoredRule[], id: string): StoredRule {
  const rule = rules.find((each) => each.id === canonicalId(id))
  if (!rule) throw notFound()
  return rule
}
