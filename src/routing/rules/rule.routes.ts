import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Closed, Described, Nullable, Page, pageQuery } from '../../api/schema.ts'
import { Flow } from '../action.schema.ts'
import { publicationApproval } from './publication-approval.ts'
import { FlowRules, FlowVersion, RulesChoice } from './rule.schema.ts'
import { showRules, versionOf } from './ruleset.representation.ts'
import { findRuleset, listRulesets, publishRules } from './ruleset.store.ts'

const tags = ['Flows']
const headers = merchantAccountHeader
const params = Type.Object({ flow: Flow })

const read = { scopes: ['flows.read'] }
const write = { scopes: ['flows.write'] }

const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
const FlowPublication = Closed('FlowPublication', {
  version: Type.Optional(
    Nullable(Described(Version, 'An earlier version that is to be live again; absent: the draft')),
  ),
  expected_version: Type.Optional(
    Nullable(
      Described(
        Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
        'The version that you know to be live, 0 for none; 409 where another is',
      ),
    ),
  ),
})
const FlowVersions = Page('FlowVersions', FlowVersion)

/** Routes that read and publish the versions of a flow's rules. */
export const ruleRoutes: Routes = (app, world) => {
  app.get(
    '/flows/:flow/rules',
    {
      config: read,
      schema: {
        operationId: 'list_flow_rules',
        summary: 'List rules',
        description:
          'The rules of a flow in their order: those that are live, the draft, or any version. 404 where there is no such version.',
        tags,
        headers,
        params,
        querystring: RulesChoice,
        response: { 200: FlowRules },
      },
    },
    async ({ account, params: { flow }, query }) => {
      const row = await findRuleset(world, { account, flow }, query.version ?? query.state ?? 'live')
      if (!row)
        throw notFound(
          query.version
            ? undefined
            : `Nothing of this flow is ${query.state === 'draft' ? 'being edited' : 'live'}`,
        )
      return showRules(row)
    },
  )

  app.get(
    '/flows/:flow/versions',
    {
      config: read,
      schema: {
        operationId: 'list_flow_versions',
        summary: 'List versions',
        description:
          'Every version of a flow’s rules, the newest first: the draft, the live one, and those that were live.',
        tags,
        headers,
        params,
        querystring: Type.Object(pageQuery()),
        response: { 200: FlowVersions },
      },
    },
    async ({ account, params: { flow }, query }) => {
      const list = `flow-versions\n${account}\n${flow}`
      return answerPage(world.cipher, list, query, {
        read: (page) => listRulesets(world, { account, flow }, page),
        positionOf: ({ version }) => ({ key: String(version), id: String(version) }),
        show: (row): FlowVersion => ({ type: 'flow-version', ...versionOf(row), rules: row.rules.length }),
      })
    },
  )

  app.post(
    '/flows/:flow/rules/publish',
    {
      config: { ...write, approval: publicationApproval },
      preValidation: async (request) => {
        request.body ??= {}
      },
      schema: {
        operationId: 'publish_flow_rules',
        summary: 'Publish rules',
        description:
          'Makes the draft live, or an earlier version again as a new one. The next payment is decided by it.',
        tags,
        headers,
        params,
        body: FlowPublication,
        response: { 200: FlowRules },
      },
    },
    async ({ account, params: { flow }, body }) =>
      showRules(await publishRules(world, { account, flow }, body)),
  )
}
