import { Type } from 'typebox'
import type { ApprovalTerms } from '../../api/approval.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery, Uuid } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import {
  ApprovalPolicies,
  ApprovalPolicy,
  ApprovalPolicyCreate,
  ApprovalPolicyUpdate,
} from './approval-policy.schema.ts'
import {
  deletePolicy,
  insertPolicy,
  listPolicies,
  readPolicy,
  showPolicy,
  updatePolicy,
} from './approval-policy.store.ts'

const tags = ['Approvals']
const params = Type.Object({ approval_policy_id: Uuid })
const read = { scopes: ['approval-policies.read'] }
const write = { scopes: ['approval-policies.write'] }

/**
 * A policy is changed with the approval of its approvers, else one administrator could switch it off. A new
 * policy only asks for more.
 */
const approval: ApprovalTerms = {
  operations: () => ['approval_policy'],
  target: async (world, { account, params }) => {
    const { approval_policy_id: id = '' } = params as { approval_policy_id?: string }
    const { updated_at } = showPolicy(await readPolicy(world, account, id))
    return { resource: { type: 'approval-policy', id }, money: null, preconditions: { updated_at } }
  },
}

export const approvalPolicyRoutes: Routes = (app, world) => {
  app.get(
    '/approval-policies',
    {
      config: read,
      schema: {
        operationId: 'list_approval_policies',
        summary: 'List approval policies',
        description: 'The newest first.',
        tags,
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: ApprovalPolicies },
      },
    },
    async ({ account, query }) =>
      answerPage(world.cipher, `approval-policies/${account}`, query, {
        read: (page) => listPolicies(world, account, page),
        positionOf: newestFirstPosition,
        show: showPolicy,
      }),
  )

  app.post(
    '/approval-policies',
    {
      config: write,
      schema: {
        operationId: 'create_approval_policy',
        summary: 'Create an approval policy',
        description:
          'From now on the operations need the approval of other people: such a request is a 403 `approval_required`, and goes to `POST /proposals`. People and API key pairs belong to the instance, and the policies of `default` apply to them.',
        tags,
        headers,
        body: ApprovalPolicyCreate,
        response: { 201: ApprovalPolicy },
      },
    },
    async ({ account, body }, reply) =>
      reply.code(201).send(showPolicy(await insertPolicy(world, account, body))),
  )

  app.get(
    '/approval-policies/:approval_policy_id',
    {
      config: read,
      schema: {
        operationId: 'get_approval_policy',
        summary: 'Get an approval policy',
        description: 'Finds one policy by its id.',
        tags,
        headers,
        params,
        response: { 200: ApprovalPolicy },
      },
    },
    async ({ account, params }) => showPolicy(await readPolicy(world, account, params.approval_policy_id)),
  )

  app.put(
    '/approval-policies/:approval_policy_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'update_approval_policy',
        summary: 'Change an approval policy',
        description:
          'Changes the members that you send. As soon as the account has an active policy this needs approval, by the approvers of each active policy.',
        tags,
        headers,
        params,
        body: ApprovalPolicyUpdate,
        response: { 200: ApprovalPolicy },
      },
    },
    async ({ account, params, body }) =>
      showPolicy(await updatePolicy(world, account, params.approval_policy_id, body)),
  )

  app.delete(
    '/approval-policies/:approval_policy_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'delete_approval_policy',
        summary: 'Delete an approval policy',
        description:
          'As soon as the account has an active policy this needs approval, by the approvers of each active policy. Proposals that are open keep what they need.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params }, reply) => {
      await deletePolicy(world, account, params.approval_policy_id)
      return reply.code(204).send(null)
    },
  )
}
