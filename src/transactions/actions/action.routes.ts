import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import { invalid } from '../../api/errors.ts'
import { idempotencyHeaders, merchantAccountHeader, preferenceHeaders } from '../../api/headers.ts'
import { canonicalPath } from '../../api/request/request-path.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable } from '../../api/schema.ts'
import { cartProblems } from '../../checkout/cart-item.ts'
import type { FollowUpKind } from '../../operations/journal/intend-follow-up.ts'
import type { OperationInput } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { answerTransactionOnce } from '../idempotency.ts'
import { Transaction, transactionParams } from '../transaction.schema.ts'
import { TransactionCapture, TransactionCaptureCreate } from '../views/capture.schema.ts'
import {
  Refund,
  Refunds,
  TransactionRefundAllCreate,
  TransactionRefundCreate,
} from '../views/refund.schema.ts'
import type { RepresentationName } from '../views/representation.ts'
import { singlePage } from '../views/single-page.ts'
import { captureApproval, refundApproval, releaseApproval } from './action-approval.ts'
import { executeAction, type RequestedAction } from './execute-action.ts'
import {
  TransactionAuthorizationIncrement,
  TransactionAuthorizationIncrementCreate,
} from './increment.schema.ts'
import { overCapture } from './over-capture.ts'
import { preferredResource } from './prefer-header.ts'
import { refundEverything } from './refund-everything.ts'
import { TransactionCancel, TransactionVoid } from './release.schema.ts'

/** What a route asks of `executeAction`. */
interface ActionParameters {
  kind: FollowUpKind
  amount?: number | null | undefined
  input?: OperationInput
  representation: RepresentationName
  allowance?: (authorized: number) => number
}

type ActionRequest = Pick<FastifyRequest, 'account' | 'body' | 'headers' | 'routeOptions'> & {
  params: { transaction_id: string }
}

/**
 * Executes an action on a transaction, once for each idempotency key, and returns the body of the answer in
 * the representation that the client prefers.
 */
async function answerAction(
  world: World,
  request: ActionRequest,
  { kind, amount = null, input = {}, representation, allowance = () => 0 }: ActionParameters,
): Promise<unknown> {
  const path = canonicalPath(request)
  const keyed = {
    account: request.account,
    scope: `POST ${path}`,
    key: idempotencyKeyHeader(request),
    body: request.body,
    representation,
  }
  const action: Omit<RequestedAction, 'claim'> = {
    account: request.account,
    transactionId: request.params.transaction_id,
    kind,
    amount,
    input,
    path,
    body: request.body,
    allowance,
  }
  const { body } = await answerTransactionOnce(world, keyed, (claim) =>
    executeAction(world, { ...action, claim }),
  )
  return body
}

function idempotencyKeyHeader({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' ? key : undefined
}

/** The person who requests a refund; empty: an API key does, which has no e-mail address to show. */
function createdBy({ caller }: Pick<FastifyRequest, 'caller'>): Pick<OperationInput, 'creator'> {
  const { id, name, emailAddress } = caller.actor
  return emailAddress === null ? {} : { creator: { id, name, email_address: emailAddress } }
}

/** The members of a refund request that its operation stores. Throws 400 if `force` has no `reason`. */
function refundInput({ reason, external_identifier, force }: TransactionRefundAllCreate): OperationInput {
  if (force && !reason) throw invalid({ '/reason': 'is required where force is true' })
  return {
    ...(reason && { reason }),
    ...(external_identifier && { external_identifier }),
    ...(force && { forced: true }),
  }
}

/** Many clients send no body when every member is optional: it counts as an empty object. */
async function bodyOrEmpty(request: { body: unknown }): Promise<void> {
  request.body ??= {}
}

export const actionRoutes: Routes = (app, world) => {
  const config = { scopes: ['transactions.write'] }

  app.post(
    '/transactions/:transaction_id/capture',
    {
      config: { ...config, approval: captureApproval },
      preValidation: bodyOrEmpty,
      schema: {
        operationId: 'capture_transaction',
        summary: 'Capture a transaction',
        description:
          'Takes authorized money; without an amount or a body, everything that is left. A capture that fails is a 200: compare `captured_amount`, or ask for the capture itself with `Prefer: resource=transaction-capture`.',
        tags: ['Transactions'],
        headers: preferenceHeaders('transaction-capture'),
        params: transactionParams,
        body: TransactionCaptureCreate,
        response: { 200: Type.Union([Transaction, TransactionCapture]) },
      },
    },
    async (request) => {
      const {
        amount,
        final = true,
        external_identifier,
        cart_items,
        airline,
        reauthorize_if_authorization_expired: reauthorize = false,
      } = request.body
      const problems = cartProblems(cart_items)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      const details = { external_identifier, cart_items, airline }
      const input = {
        final,
        ...(reauthorize && { reauthorize }),
        ...Object.fromEntries(
          Object.entries(details).filter(([, value]) => value !== undefined && value !== null),
        ),
      }
      const representation = preferredResource(
        request.headers.prefer,
        ['transaction', 'transaction-capture'],
        'transaction',
      )
      const allowance = overCapture(await cachedMerchantAccount(world, request.account))
      return (await answerAction(world, request, {
        kind: 'capture',
        amount,
        input,
        representation,
        allowance,
      })) as Transaction
    },
  )

  app.post(
    '/transactions/:transaction_id/void',
    {
      config: { ...config, approval: releaseApproval },
      schema: {
        operationId: 'void_transaction',
        summary: 'Void a transaction',
        description:
          'Releases an authorization of which nothing was captured. What gift cards paid stays paid until it is refunded (`/refunds/all`). A void that fails is a 200: look at the status, or ask for the void itself with `Prefer: resource=transaction-void`.',
        tags: ['Transactions'],
        headers: preferenceHeaders('transaction-void'),
        params: transactionParams,
        response: { 200: Type.Union([Transaction, TransactionVoid]) },
      },
    },
    async (request) => {
      const representation = preferredResource(
        request.headers.prefer,
        ['transaction', 'transaction-void'],
        'transaction',
      )
      return (await answerAction(world, request, { kind: 'void', representation })) as Transaction
    },
  )

  app.post(
    '/transactions/:transaction_id/cancel',
    {
      config: { ...config, approval: releaseApproval },
      schema: {
        operationId: 'cancel_transaction',
        summary: 'Cancel a transaction',
        description:
          'Withdraws a payment that is still pending at the payment service, or that its buyer has not approved yet.',
        tags: ['Transactions'],
        headers: merchantAccountHeader,
        params: transactionParams,
        response: { 200: TransactionCancel },
      },
    },
    async (request) =>
      (await answerAction(world, request, {
        kind: 'cancel',
        representation: 'transaction-cancel',
      })) as TransactionCancel,
  )

  app.post(
    '/transactions/:transaction_id/authorization/increment',
    {
      config,
      schema: {
        operationId: 'increment_transaction_authorization',
        summary: 'Increment an authorization',
        description: 'Asks for more money on the same authorization: the amount is what is added.',
        tags: ['Transactions'],
        headers: idempotencyHeaders,
        params: transactionParams,
        body: TransactionAuthorizationIncrementCreate,
        response: { 200: TransactionAuthorizationIncrement },
      },
    },
    async (request) =>
      (await answerAction(world, request, {
        kind: 'increment',
        amount: request.body.amount,
        representation: 'transaction-increment',
      })) as TransactionAuthorizationIncrement,
  )

  app.post(
    '/transactions/:transaction_id/refunds',
    {
      config: { ...config, approval: refundApproval },
      preValidation: bodyOrEmpty,
      schema: {
        operationId: 'create_transaction_refund',
        summary: 'Refund a transaction',
        description:
          'Refunds captured money; without an amount or a body, everything that is left of the payment method’s part and is not disputed. What a chargeback has taken is refunded with `force` and a `reason` only. A gift card’s part is refunded to it with `target_type` and `target_id`.',
        tags: ['Refunds'],
        headers: idempotencyHeaders,
        params: transactionParams,
        body: TransactionRefundCreate,
        response: { 201: Refund },
      },
    },
    async (request, reply) => {
      const { amount, target_type, target_id } = request.body
      const input = { ...refundInput(request.body), ...createdBy(request) }
      const isGiftCardRefund = target_type === 'gift-card-redemption'
      if (!isGiftCardRefund && target_id)
        throw invalid({ '/target_type': 'must be gift-card-redemption where target_id names one' })
      if (isGiftCardRefund && !target_id)
        throw invalid({ '/target_id': 'is required: the redemption whose card is to be refunded' })
      const target = isGiftCardRefund
        ? { kind: 'gift-card-refund' as const, input: { ...input, redemption: target_id ?? '' } }
        : { kind: 'refund' as const, input }
      if (isGiftCardRefund && input.forced)
        throw invalid({ '/force': 'must be absent: what gift cards paid is not disputed' })
      return reply
        .code(201)
        .send((await answerAction(world, request, { ...target, amount, representation: 'refund' })) as Refund)
    },
  )

  app.post(
    '/transactions/:transaction_id/refunds/all',
    {
      config: {
        scopes: ['transactions.write', 'gift-cards.write'],
        everyScope: true,
        approval: refundApproval,
      },
      schema: {
        operationId: 'create_full_transaction_refund',
        summary: 'Refund everything',
        description:
          'Refunds everything that is left, of the payment method and of gift cards. What a chargeback has taken is not left: it is refunded with `force` and a `reason` only. Needs both scopes, also where no gift card has paid.',
        tags: ['Refunds'],
        headers: idempotencyHeaders,
        params: transactionParams,
        body: Type.Optional(Nullable(TransactionRefundAllCreate)),
        response: { 201: Refunds },
      },
    },
    async (request, reply) => {
      const { account, params, body } = request
      const refund = {
        account,
        transactionId: params.transaction_id,
        path: canonicalPath(request),
        body,
        input: { ...refundInput(body ?? {}), ...createdBy(request) },
      }
      const items = await refundEverything(world, refund, idempotencyKeyHeader(request))
      return reply.code(201).send(singlePage(items, Math.max(20, items.length)))
    },
  )
}
