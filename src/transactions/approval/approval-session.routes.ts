import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { enterAccountTime } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { limitRate } from '../../api/auth/rate-limit.ts'
import { badRequest, unauthorized } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Closed, Nullable, Open, Text, Uuid } from '../../api/schema.ts'
import { IntegrationClient } from '../../connectors/contract/method.schema.ts'
import type { World } from '../../world.ts'
import { completeApprovalAndReview } from '../review/review.ts'
import { Transaction, transactionParams } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { showTransaction } from '../views/transaction.representation.ts'
import { accountOfSessionToken } from './session-token.ts'

const SessionQuery = Type.Object({ token: Type.Optional(Nullable(Type.String())) })

/**
 * `payload` is for payment services whose sessions can be changed; an order of the wallet or of bnpl cannot
 * (API §3.1).
 */
const UpdateTransactionSessionRequest = Closed('UpdateTransactionSessionRequest', {
  payload: Type.Optional(Nullable(Open)),
})

const UpdateTransactionSessionResponse = Closed('UpdateTransactionSessionResponse', {
  session_data: Nullable(Open),
  default_completion_url: Type.String(),
  integration_client: IntegrationClient,
})

const tags = ['Transactions']
const linkParams = Type.Object({ transaction_id: Uuid, merchant_account_id: Type.String() })

/**
 * The two calls of a client integration (API §4.11): what the page needs to show the payment service's
 * approval, and completion after the approval.
 */
export const approvalSessionRoutes: Routes = (app, world) => {
  const config = { scopes: 'public' } as const
  const shape = {
    tags,
    params: transactionParams,
    querystring: SessionQuery,
    body: Nullable(UpdateTransactionSessionRequest),
    response: { 200: UpdateTransactionSessionResponse },
  }

  // GET and POST with the same body: payment services of the two kinds document one each (semantics §3.12)
  app.get(
    '/transactions/:transaction_id/session',
    {
      config,
      exposeHeadRoute: false,
      schema: {
        ...shape,
        operationId: 'get_transaction_session',
        summary: 'Get the approval session',
        description:
          'What a page needs to show the payment service’s approval. The session token is the credential.',
      },
    },
    async ({ params, query }, reply) =>
      exchangeSessionToken(world, reply, params.transaction_id, query.token),
  )

  app.post(
    '/transactions/:transaction_id/session',
    {
      config,
      schema: {
        ...shape,
        operationId: 'update_transaction_session',
        summary: 'Update the approval session',
        description:
          'The same for payment services whose sessions take a payload. The session token is the credential.',
      },
    },
    async ({ params, query }, reply) =>
      exchangeSessionToken(world, reply, params.transaction_id, query.token),
  )

  const completion = {
    tags,
    headers: merchantAccountHeader,
    params: transactionParams,
    // an unknown parameter of the page must not stop a payment that its buyer has approved
    querystring: Type.Object(
      { authorization_token: Type.Optional(Nullable(Text(1, 1000))) },
      { additionalProperties: true },
    ),
    response: { 200: Transaction },
  }
  const complete = async (account: string, id: string, token: string | null | undefined) =>
    showTransaction(await completeApprovalAndReview(world, account, id, { value: token ?? null }))

  // a session's link contains the merchant account, so that a page can follow it without a header
  app.route({
    method: ['GET', 'POST'],
    url: '/transactions/:transaction_id/complete/:merchant_account_id',
    config: { scopes: ['transactions.write'], accountInPath: true },
    exposeHeadRoute: false,
    schema: { ...completion, hide: true, params: linkParams },
    handler: ({ account, params, query }) =>
      complete(account, params.transaction_id, query.authorization_token),
  })

  app.get(
    '/transactions/:transaction_id/complete',
    {
      config: { scopes: ['transactions.write'] },
      // a probe must not complete a payment
      exposeHeadRoute: false,
      schema: {
        ...completion,
        operationId: 'complete_transaction',
        summary: 'Complete a transaction',
        description:
          'Goes on with the payment once its buyer has approved it at the payment service. It moves money: POST does the same, and no cache or prefetch sends it.',
      },
    },
    ({ account, params, query }) => complete(account, params.transaction_id, query.authorization_token),
  )

  app.post(
    '/transactions/:transaction_id/complete',
    {
      config: { scopes: ['transactions.write'] },
      schema: {
        ...completion,
        operationId: 'post_transaction_completion',
        summary: 'Complete a transaction by POST',
        description: 'Does the same as GET: goes on with the payment once its buyer has approved it.',
      },
    },
    ({ account, params, query }) => complete(account, params.transaction_id, query.authorization_token),
  )
}

/**
 * The session data of a transaction that waits for its buyer. The session token is the only credential.
 * Throws 401 for a wrong token, 400 if the transaction has no session or does not wait.
 */
async function exchangeSessionToken(
  world: World,
  reply: FastifyReply,
  id: string,
  token: string | null | undefined,
) {
  const account = token ? accountOfSessionToken(world, id, token) : undefined
  if (account === undefined) throw unauthorized('the session token is not of this transaction')
  reply.headers(await limitRate(world.run, world.machineClock, `transaction-session/${id}`))
  await enterAccountTime(world, account)
  const { approval, status } = await readTransaction(world, account, id)
  if (!approval?.session_token) throw badRequest('The transaction is not client-integrated')
  if (status !== 'buyer_approval_pending') throw badRequest('The transaction does not wait for its buyer')
  return {
    session_data: approval.session_data,
    default_completion_url: completionUrl(world, account, id),
    integration_client: approval.integration_client,
  }
}

/**
 * The link by which the page completes the payment. The page adds a query, so the account is in the path;
 * without one a request acts on `default`.
 */
const completionUrl = ({ publicUrl }: World, account: string, id: string): string =>
  `${publicUrl}/transactions/${id}/complete${account === 'default' ? '' : `/${encodeURIComponent(account)}`}`
