import { Type } from 'typebox'
import { invalid, notFound } from '../api/errors.ts'
import { merchantAccountHeader } from '../api/headers.ts'
import { pageOf, readPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Closed, Described, Nullable, Page, pageQuery, Uuid } from '../api/schema.ts'
import { Flow } from './action.schema.ts'
import { FlowRule, FlowRuleCreate, FlowRules, FlowRulesReplace, FlowRuleUpdate, FlowVersion, RulesChoice } from './rule.schema.ts'
import { dropDraft, editDraft, findRuleset, listRulesets, publish, type RulesetRow, type StoredRule } from './ruleset.store.ts'

const tags = ['Flows']
const headers = merchantAccountHeader
const params = Type.Object({ flow: Flow })
const ruleParams = Type.Object({ flow: Flow, rule_id: Uuid })
const read = { scopes: ['flows.read'] }
const write = { scopes: ['flows.write'] }

const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
const FlowPublication = Closed('FlowPublication', {
  version: Type.Optional(Nullable(Described(Version, 'An earlier version that is to be live again; absent: the draft'))),
  expected_version: Type.Optional(
    Nullable(
      Described(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }), 'The version that you know to be live, 0 for none; 409 where another is'),
    ),
  ),
})
const FlowVersions = Page('FlowVersions', FlowVersion)

const showRule = (rule: StoredRule): FlowRule => ({ type: 'flow-rule', ...rule })

const versionOf = ({ flow, version, state, created_at, updated_at, published_at }: RulesetRow) => ({
  flow,
  version,
  state,
  created_at,
  updated_at,
  published_at,
})
const show = (row: RulesetRow): FlowRules => ({ type: 'flow-rules', ...versionOf(row), items: row.rules.map(showRule) })

/** What a request says of a rule, complete. */
const stored = (id: string, { display_name, action, active, condition, outcome }: FlowRuleUpdate): StoredRule => ({
  id,
  display_name,
  action,
  active: active ?? true,
  condition,
  outcome: outcome ?? {},
})

/** What is live, and what is being edited. */
export const ruleRoutes: Routes = (app, world) => {
  app.get(
    '/flows/:flow/rules',
    {
      config: read,
      schema: {
        operationId: 'list_flow_rules',
        summary: 'List rules',
        description: 'The rules of a flow in their order: those that are live, the draft, or any version. 404 where there is no such version.',
        tags,
        headers,
        params,
        querystring: RulesChoice,
        response: { 200: FlowRules },
      },
    },
    async ({ account, params: { flow }, query }) => {
      const row = await findRuleset(world, { account, flow }, query.version ?? query.state ?? 'live')
      if (!row) throw notFound()
      return show(row)
    },
  )

  app.get(
    '/flows/:flow/versions',
    {
      config: read,
      schema: {
        operationId: 'list_flow_versions',
        summary: 'List versions',
        description: 'Every version of a flow’s rules, the newest first: the draft, the live one, and those that were live.',
        tags,
        headers,
        params,
        querystring: Type.Object(pageQuery()),
        response: { 200: FlowVersions },
      },
    },
    async ({ account, params: { flow }, query }) => {
      const list = `flow-versions\n${account}\n${flow}`
      const page = readPage(world.cipher, list, query)
      const rows = await listRulesets(world, { account, flow }, page)
      const place = ({ version }: RulesetRow) => ({ key: String(version), id: String(version) })
      const item = (row: RulesetRow): FlowVersion => ({ type: 'flow-version', ...versionOf(row), rules: row.rules.length })
      return pageOf(world.cipher, list, page, rows, place, item)
    },
  )

  app.post(
    '/flows/:flow/rules/publish',
    {
      config: write,
      preValidation: async (request) => {
        request.body ??= {}
      },
      schema: {
        operationId: 'publish_flow_rules',
        summary: 'Publish rules',
        description: 'Makes the draft live, or an earlier version again as a new one. The next payment is decided by it.',
        tags,
        headers,
        params,
        body: FlowPublication,
        response: { 200: FlowRules },
      },
    },
    async ({ account, params: { flow }, body }) => show(await publish(world, { account, flow }, body)),
  )

  draftRoutes(app, world)
}

const draftRoutes: Routes = (app, world) => {
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
    async ({ account, params: { flow }, body: { position, ...given } }, reply) => {
      const rule = stored(world.ids.next(), given)
      const added = (rules: readonly StoredRule[]) => rules.toSpliced(position ?? rules.length, 0, rule)
      await editDraft(world, { account, flow }, added, (_, { id }) => (id === rule.id ? '' : undefined))
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
      const rules = items.map(({ id, type: _, ...given }) => stored(id?.toLowerCase() ?? world.ids.next(), given))
      const twice = rules.findIndex(({ id }, index) => rules.findIndex((rule) => rule.id === id) < index)
      if (twice >= 0) throw invalid({ [`/items/${twice}/id`]: 'is the id of two rules' })
      return show(
        await editDraft(
          world,
          { account, flow },
          () => rules,
          (index) => `/items/${index}`,
        ),
      )
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
      if (!(await dropDraft(world, { account, flow }))) throw notFound()
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
      const place = { account, flow }
      const row = (await findRuleset(world, place, 'draft')) ?? (await findRuleset(world, place, 'live'))
      return showRule(ruleOf(row?.rules ?? [], rule_id))
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
      const rule = stored(rule_id.toLowerCase(), body)
      const changed = (rules: readonly StoredRule[]) => rules.with(rules.indexOf(ruleOf(rules, rule.id)), rule)
      await editDraft(world, { account, flow }, changed, (_, { id }) => (id === rule.id ? '' : undefined))
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
      const without = (rules: readonly StoredRule[]) => rules.toSpliced(rules.indexOf(ruleOf(rules, rule_id)), 1)
      await editDraft(world, { account, flow }, without, () => undefined)
      return reply.code(204).send(null)
    },
  )
}

function ruleOf(rules: readonly StoredRule[], id: string): StoredRule {
  const rule = rules.find((each) => each.id === id.toLowerCase())
  if (!rule) throw notFound()
  return rule
}
