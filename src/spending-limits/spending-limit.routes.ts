import { Type } from 'typebox'
import type { ApprovalTerms } from '../api/approval.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Parameter, pageQuery, Uuid, Words } from '../api/schema.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import {
  limitedOperations,
  OwnSpendingLimits,
  SpendingLimit,
  SpendingLimitCreate,
  SpendingLimits,
  SpendingLimitUpdate,
} from './spending-limit.schema.ts'
import {
  deleteSpendingLimit,
  insertSpendingLimit,
  listLimitsOf,
  listSpendingLimits,
  readSpendingLimit,
  showSpendingLimit,
  spendingDay,
  updateSpendingLimit,
} from './spending-limit.store.ts'

const tags = ['Spending limits']
const read = { scopes: ['spending-limits.read'] }
const write = { scopes: ['spending-limits.write'] }
/** A limit protects: every active approval policy of the account asks for approval of its changes. */
const createLimit: ApprovalTerms = {
  operations: () => ['spending_limit'],
  target: async () => ({ resource: null, money: null, preconditions: {} }),
}
const changeLimit: ApprovalTerms = {
  operations: () => ['spending_limit'],
  target: async (world, { account, params }) => {
    const { spending_limit_id } = params as { spending_limit_id: string }
    const { id, per_operation, per_day, per_buyer_per_day, count_per_day } = await readSpendingLimit(
      world,
      account,
      spending_limit_id,
    )
    return {
      resource: { type: 'spending-limit', id },
      money: null,
      preconditions: { per_operation, per_day, per_buyer_per_day, count_per_day },
    }
  },
}
const params = Type.Object({ spending_limit_id: Uuid })

export const spendingLimitRoutes: Routes = (app, world) => {
  app.get(
    '/spending-limits',
    {
      config: read,
      schema: {
        operationId: 'list_spending_limits',
        summary: 'List spending limits',
        description: 'The limits of the merchant account, the newest first, each with what is left today.',
        tags,
        headers,
        querystring: Type.Object({
          ...pageQuery(),
          subject_id: Parameter(Uuid, 'The key pair or the person'),
          operation: Parameter(Words(...limitedOperations), 'What is limited'),
        }),
        response: { 200: SpendingLimits },
      },
    },
    async ({ account, query }) => {
      const { subject_id = null, operation = null } = query
      const day = spendingDay(world)
      return answerPage(
        world.cipher,
        JSON.stringify(['spending-limits', account, subject_id, operation]),
        query,
        {
          read: (page) => listSpendingLimits(world, account, { subject_id, operation }, page),
          positionOf: newestFirstPosition,
          show: (row) => showSpendingLimit(row, day),
        },
      )
    },
  )

  app.post(
    '/spending-limits',
    {
      config: { ...write, approval: createLimit },
      schema: {
        operationId: 'create_spending_limit',
        summary: 'Create a spending limit',
        description:
          'Limits what a key pair or a person may refund, pay out, capture or void in the merchant account. From then on they may do this operation only in currencies that have a limit. Nobody sets their own.',
        tags,
        headers,
        body: SpendingLimitCreate,
        response: { 201: SpendingLimit },
      },
    },
    async ({ account, caller, body }, reply) => {
      const limit = await insertSpendingLimit(world, account, caller, body)
      return reply.code(201).send(showSpendingLimit(limit, spendingDay(world)))
    },
  )

  app.get(
    '/spending-limits/mine',
    {
      config: {
        scopes: ['spending-limits.read', 'transactions.read', 'transactions.write', 'payouts.write'],
      },
      schema: {
        operationId: 'list_own_spending_limits',
        summary: 'List your spending limits',
        description:
          'The limits of the key pair or the person that asks, with what is left today; no items: you have no limit. A bearer token sees those of its key pair.',
        tags,
        headers,
        response: { 200: OwnSpendingLimits },
      },
    },
    async ({ account, caller }) => {
      const day = spendingDay(world)
      const limits = await listLimitsOf(world, account, caller.actor)
      return { items: limits.map((row) => showSpendingLimit(row, day)) }
    },
  )

  app.get(
    '/spending-limits/:spending_limit_id',
    {
      config: read,
      schema: {
        operationId: 'get_spending_limit',
        summary: 'Get a spending limit',
        description: 'One limit by its id, with what is used and what is left today.',
        tags,
        headers,
        params,
        response: { 200: SpendingLimit },
      },
    },
    async ({ account, params }) =>
      showSpendingLimit(
        await readSpendingLimit(world, account, params.spending_limit_id),
        spendingDay(world),
      ),
  )

  app.put(
    '/spending-limits/:spending_limit_id',
    {
      config: { ...write, approval: changeLimit },
      schema: {
        operationId: 'update_spending_limit',
        summary: 'Change a spending limit',
        description:
          'Changes the members that you send and leaves the others. What was used today stays used. Nobody changes their own.',
        tags,
        headers,
        params,
        body: SpendingLimitUpdate,
        response: { 200: SpendingLimit },
      },
    },
    async ({ account, caller, params, body }) =>
      showSpendingLimit(
        await updateSpendingLimit(world, account, params.spending_limit_id, caller, body),
        spendingDay(world),
      ),
  )

  app.delete(
    '/spending-limits/:spending_limit_id',
    {
      config: { ...write, approval: changeLimit },
      schema: {
        operationId: 'delete_spending_limit',
        summary: 'Delete a spending limit',
        description:
          'The key pair or the person is no longer limited, unless other limits of the operation are left: those allow their own currencies alone. Nobody deletes their own.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, caller, params }, reply) => {
      await deleteSpendingLimit(world, account, params.spending_limit_id, caller)
      return reply.code(204).send(null)
    },
  )
}
