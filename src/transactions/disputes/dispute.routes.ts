import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { idempotencyHeaders, merchantAccountHeader } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import { canonicalPath } from '../../api/request/request-path.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery, Uuid } from '../../api/schema.ts'
import { readFromReplica } from '../../database/replicas/read-from-replica.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { runIdempotently } from '../../operations/idempotency.ts'
import type { Claim } from '../../operations/journal/journal.ts'
import type { World } from '../../world.ts'
import { transactionParams } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { type AnsweredDispute, acceptDispute, submitEvidence } from './answer-dispute.ts'
import { showDispute } from './dispute.representation.ts'
import {
  Dispute,
  DisputeEvidenceCreate,
  DisputeQuery,
  Disputes,
  MAX_EVIDENCE_BYTES,
} from './dispute.schema.ts'
import { listDisputes, readDispute } from './dispute.store.ts'

const tags = ['Disputes']
const params = Type.Object({ dispute_id: Uuid })

const representDispute = (_representation: string, { dispute }: AnsweredDispute) => ({
  status: 200,
  body: showDispute(dispute),
})

/** Does the work once for each idempotency key, and answers the dispute. */
async function answerOnce(
  world: World,
  request: Pick<FastifyRequest, 'account' | 'body' | 'headers' | 'routeOptions'> & { params: object },
  work: (claim: Claim | undefined) => Promise<AnsweredDispute>,
): Promise<Dispute> {
  const key = request.headers['idempotency-key']
  const keyed = {
    account: request.account,
    scope: `POST ${canonicalPath(request)}`,
    key: typeof key === 'string' ? key : undefined,
    body: request.body,
    representation: 'dispute',
  }
  return (await runIdempotently<AnsweredDispute>(world, keyed, representDispute, work)).body as Dispute
}

export const disputeRoutes: Routes = (app, world) => {
  const answerList = (account: string, { cursor, limit, ...filters }: DisputeQuery) =>
    answerPage(
      world.cipher,
      `disputes/${account}/${JSON.stringify(filters)}`,
      { cursor, limit },
      {
        read: (page) => readFromReplica(world, (replica) => listDisputes(replica, account, filters, page)),
        positionOf: newestFirstPosition,
        show: showDispute,
      },
    )

  app.get(
    '/disputes',
    {
      config: { scopes: ['disputes.read'] },
      schema: {
        operationId: 'list_disputes',
        summary: 'List disputes',
        description:
          'The disputes that payment services have told of, the newest first. All filters apply; of several statuses any.',
        tags,
        headers: merchantAccountHeader,
        querystring: DisputeQuery,
        response: { 200: Disputes },
      },
    },
    async ({ account, query }) => answerList(account, query),
  )

  app.get(
    '/disputes/:dispute_id',
    {
      config: { scopes: ['disputes.read'] },
      schema: {
        operationId: 'get_dispute',
        summary: 'Get a dispute',
        description: 'The dispute as it is now.',
        tags,
        headers: merchantAccountHeader,
        params,
        response: { 200: Dispute },
      },
    },
    async ({ account, params: { dispute_id: id } }) => showDispute(await readDispute(world, account, id)),
  )

  app.get(
    '/transactions/:transaction_id/disputes',
    {
      config: { scopes: ['disputes.read'] },
      schema: {
        operationId: 'list_transaction_disputes',
        summary: 'List disputes of a transaction',
        description: 'The disputes of a transaction, the newest first.',
        tags,
        headers: merchantAccountHeader,
        params: transactionParams,
        querystring: Type.Object(pageQuery(), { additionalProperties: false }),
        response: { 200: Disputes },
      },
    },
    async ({ account, params: { transaction_id }, query }) => {
      await readTransaction(world, account, transaction_id)
      return answerList(account, { ...query, transaction_id })
    },
  )

  app.post(
    '/disputes/:dispute_id/evidence',
    {
      config: { scopes: ['disputes.write'] },
      bodyLimit: MAX_EVIDENCE_BYTES,
      schema: {
        operationId: 'submit_dispute_evidence',
        summary: 'Submit evidence',
        description:
          'Sends text and files to the payment service, which ends the time for evidence. Railyard stores neither. A 504 says that the outcome is not known: the client sends the same request again, and the payment service processes it once.',
        tags,
        headers: idempotencyHeaders,
        params,
        body: DisputeEvidenceCreate,
        response: { 200: Dispute },
      },
    },
    async (request) =>
      answerOnce(world, request, (claim) =>
        submitEvidence(
          world,
          { account: request.account, id: request.params.dispute_id, claim },
          request.body,
        ),
      ),
  )

  app.post(
    '/disputes/:dispute_id/accept',
    {
      config: { scopes: ['disputes.write'] },
      schema: {
        operationId: 'accept_dispute',
        summary: 'Accept a dispute',
        description:
          'Gives the dispute up: the money stays with the buyer. A 504 says that the outcome is not known: the client sends the same request again.',
        tags,
        headers: idempotencyHeaders,
        params,
        response: { 200: Dispute },
      },
    },
    async (request) =>
      answerOnce(world, request, (claim) =>
        acceptDispute(world, { account: request.account, id: request.params.dispute_id, claim }),
      ),
  )
}
