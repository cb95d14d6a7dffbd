import { Type } from 'typebox'
import { idempotencyHeaders, merchantAccountHeader } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { Uuid } from '../api/schema.ts'
import { readFromReplica } from '../database/replicas/read-from-replica.ts'
import { lastUpdatedFirstPosition } from '../database/rows/newest-first.ts'
import { runIdempotently } from '../operations/idempotency.ts'
import { createPayout } from './create-payout.ts'
import { showPayout } from './payout.representation.ts'
import type { PayoutResult } from './payout.row.ts'
import { PayoutCreate, PayoutQuery, PayoutSummaries, PayoutSummary } from './payout.schema.ts'
import { listPayouts, readPayout } from './payout.store.ts'
import { payoutApproval } from './payout-approval.ts'
import { syncPayout } from './sync-payout.ts'

const tags = ['Payouts']
const payoutParams = Type.Object({ payout_id: Uuid })

const representPayout = (_representation: string, { payout }: PayoutResult) => ({
  status: 201,
  body: showPayout(payout),
})

export const payoutRoutes: Routes = (app, world) => {
  app.get(
    '/payouts',
    {
      config: { scopes: ['payouts.read'] },
      schema: {
        operationId: 'list_payouts',
        summary: 'List payouts',
        description:
          'The account’s payouts, the most recently updated first. All filters apply; of several statuses any.',
        tags,
        headers: merchantAccountHeader,
        querystring: PayoutQuery,
        response: { 200: PayoutSummaries },
      },
    },
    async ({ account, query: { cursor, limit, ...filters } }) => {
      const list = `payouts/${account}/${JSON.stringify(filters)}`
      return answerPage(
        world.cipher,
        list,
        { cursor, limit },
        {
          read: (page) => readFromReplica(world, (replica) => listPayouts(replica, account, filters, page)),
          positionOf: lastUpdatedFirstPosition,
          show: showPayout,
        },
      )
    },
  )

  app.post(
    '/payouts',
    {
      config: { scopes: ['payouts.write'], approval: payoutApproval },
      schema: {
        operationId: 'create_payout',
        summary: 'Create a payout',
        description:
          'Sends money to a card. A refusal is a 201 with the status `declined` or `failed`; `pending` means that the payment service has not decided, or that its answer is not known yet: a webhook follows.',
        tags,
        headers: idempotencyHeaders,
        body: PayoutCreate,
        response: { 201: PayoutSummary },
      },
    },
    async ({ account, body, headers }, reply) => {
      const keyed = {
        account,
        scope: 'POST /payouts',
        key: headers['idempotency-key'] ?? undefined,
        body,
        representation: 'payout',
      }
      const answer = await runIdempotently<PayoutResult>(world, keyed, representPayout, (claim) =>
        createPayout(world, account, body, claim),
      )
      return reply.code(201).send(answer.body as PayoutSummary)
    },
  )

  app.get(
    '/payouts/:payout_id',
    {
      config: { scopes: ['payouts.read'] },
      schema: {
        operationId: 'get_payout',
        summary: 'Get a payout',
        description: 'The payout as it is now.',
        tags,
        headers: merchantAccountHeader,
        params: payoutParams,
        response: { 200: PayoutSummary },
      },
    },
    async ({ account, params }) => showPayout(await readPayout(world, account, params.payout_id)),
  )

  app.post(
    '/payouts/:payout_id/sync',
    {
      config: { scopes: ['payouts.read'] },
      schema: {
        operationId: 'sync_payout',
        summary: 'Sync a payout',
        description:
          'Asks the payment service at once what became of a payout that is pending. The payout is never sent again.',
        tags,
        headers: merchantAccountHeader,
        params: payoutParams,
        response: { 200: PayoutSummary },
      },
    },
    async ({ account, params }) => showPayout(await syncPayout(world, account, params.payout_id)),
  )
}
