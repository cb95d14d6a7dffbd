import type { FastifyReply } from 'fastify'
import type { Caller } from '../../api/auth/caller.ts'
import type { Routes } from '../../api/routes.ts'
import { throwProblems } from '../../api/throw-problems.ts'
import { isCurrency } from '../../api/values/currency.ts'
import {
  checkProtocolHeaders,
  protocolHeaders,
  protocolWriteHeaders,
} from '../../checkout/delegated-payments/protocol.ts'
import { checkPlatformSignature } from '../../checkout/delegated-payments/signature.ts'
import { askPrice } from '../prices/ask-price.ts'
import { showCheckout } from './checkout.representation.ts'
import { AgenticCheckout, CompletedAgenticCheckout } from './checkout.schema.ts'
import { cancelCheckout, insertCheckout, repriceCheckout } from './checkout.store.ts'
import { answerCheckoutError, checkoutErrors } from './checkout-errors.ts'
import {
  AgenticCheckoutCancel,
  AgenticCheckoutComplete,
  AgenticCheckoutCreate,
  AgenticCheckoutUpdate,
  checkoutParams,
} from './checkout-request.schema.ts'
import { changedMeanwhile, readCheckout, readSellerOf, refusalOf } from './checkout-state.ts'
import { completeCheckout } from './complete-checkout.ts'
import { doOnce, type PlatformRequest } from './do-once.ts'

const PATH = '/agentic_commerce/checkout_sessions'
const tags = ['Agentic commerce']
const write = { scopes: ['agentic-checkouts.write'] }
const errorHandler = answerCheckoutError

/** A request of a platform under its key, which counts for this path alone. */
const keyedRequest = (
  { account, platform }: { account: string; platform: string },
  path: string,
  key: string,
  body: unknown,
): PlatformRequest => ({
  account,
  scope: `POST ${path} ${platform}`,
  key,
  body,
  representation: 'agentic-checkout',
})

/** The checkout of the Agentic Commerce Protocol (agentic_checkout, 2026-04-17): what AI agents' platforms call. */
export const checkoutRoutes: Routes = (app, world) => {
  /** Checks the protocol's headers, and echoes those that the answer has, too. */
  const begin = (
    headers: Parameters<typeof checkProtocolHeaders>[0] & { 'idempotency-key'?: string },
    reply: FastifyReply,
  ): void => {
    checkProtocolHeaders(headers, world.machineClock.now())
    if (headers['request-id']) reply.header('request-id', headers['request-id'])
    if (headers['idempotency-key']) reply.header('idempotency-key', headers['idempotency-key'])
  }
  const preValidation = checkPlatformSignature(world)
  const placeOf = (account: string, caller: Caller) => ({ account, platform: caller.actor.id })
  const markReplay = (reply: FastifyReply, replayed: boolean) => {
    if (replayed) reply.header('idempotent-replayed', 'true')
  }

  app.post(
    PATH,
    {
      config: write,
      errorHandler,
      preValidation,
      schema: {
        operationId: 'create_agentic_checkout',
        summary: 'Create an agentic checkout session',
        description:
          'The operation `createCheckoutSession` of the Agentic Commerce Protocol: an AI agent’s platform sends a cart, and the merchant’s endpoint prices it.',
        tags,
        headers: protocolWriteHeaders,
        body: AgenticCheckoutCreate,
        response: { 201: AgenticCheckout, ...checkoutErrors },
      },
    },
    async ({ account, body, caller, headers }, reply) => {
      begin(headers, reply)
      const place = placeOf(account, caller)
      const currency = body.currency.toUpperCase()
      throwProblems({ ...(!isCurrency(currency) && { '/currency': 'is not an ISO 4217 code' }) })
      const seller = await readSellerOf(world, account)
      const id = world.ids.next()
      const { affiliate_attribution, ...request } = body
      const keyed = keyedRequest(place, PATH, headers['idempotency-key'], body)
      const done = await doOnce(world, keyed, async (claim) => {
        const price = await askPrice(world, seller, {
          checkoutId: id,
          reason: 'create',
          currency,
          request,
          passedOn: { affiliate_attribution },
        })
        await insertCheckout(world, { ...place, id, currency, request }, price, claim)
      })
      markReplay(reply, done.replayed)
      const row = await readCheckout(world, place, done.replayed ? done.id : id)
      return reply.code(201).send(await showCheckout(world, row))
    },
  )

  app.get(
    `${PATH}/:checkout_session_id`,
    {
      config: { scopes: ['agentic-checkouts.read'] },
      errorHandler,
      preValidation,
      schema: {
        operationId: 'get_agentic_checkout',
        summary: 'Get an agentic checkout session',
        description:
          'The operation `getCheckoutSession` of the Agentic Commerce Protocol. Only the platform that created the session sees it.',
        tags,
        headers: protocolHeaders,
        params: checkoutParams,
        response: { 200: AgenticCheckout, ...checkoutErrors },
      },
    },
    async ({ account, caller, headers, params }, reply) => {
      begin(headers, reply)
      return showCheckout(
        world,
        await readCheckout(world, placeOf(account, caller), params.checkout_session_id),
      )
    },
  )

  app.post(
    `${PATH}/:checkout_session_id`,
    {
      config: write,
      errorHandler,
      preValidation,
      schema: {
        operationId: 'update_agentic_checkout',
        summary: 'Update an agentic checkout session',
        description:
          'The operation `updateCheckoutSession` of the Agentic Commerce Protocol: replaces the members that are sent, and the merchant’s endpoint prices the cart anew. 405 if the session is over, 409 while a payment is under way.',
        tags,
        headers: protocolWriteHeaders,
        params: checkoutParams,
        body: AgenticCheckoutUpdate,
        response: { 200: AgenticCheckout, ...checkoutErrors },
      },
    },
    async ({ account, body, caller, headers, params: { checkout_session_id: id } }, reply) => {
      begin(headers, reply)
      const place = placeOf(account, caller)
      const row = await readCheckout(world, place, id)
      const keyed = keyedRequest(place, `${PATH}/${id}`, headers['idempotency-key'], body)
      const done = await doOnce(world, keyed, async (claim) => {
        const refused = refusalOf(world, row)
        if (refused) throw refused
        const seller = await readSellerOf(world, account)
        const request = { ...row.request, ...body }
        const price = await askPrice(world, seller, {
          checkoutId: id,
          reason: 'update',
          currency: row.currency,
          request,
          passedOn: {},
        })
        if (!(await repriceCheckout(world, row, request, price, claim)))
          throw refusalOf(world, await readCheckout(world, place, id)) ?? changedMeanwhile()
      })
      markReplay(reply, done.replayed)
      return showCheckout(world, await readCheckout(world, place, id))
    },
  )

  app.post(
    `${PATH}/:checkout_session_id/complete`,
    {
      config: write,
      errorHandler,
      preValidation,
      schema: {
        operationId: 'complete_agentic_checkout',
        summary: 'Complete an agentic checkout session',
        description:
          'The operation `completeCheckoutSession` of the Agentic Commerce Protocol: the merchant confirms the price, and the delegated card pays it, once. 402 if the payment is declined or the buyer has to approve it, 409 while its outcome is not known: the same request is answered with the outcome later.',
        tags,
        headers: protocolWriteHeaders,
        params: checkoutParams,
        body: AgenticCheckoutComplete,
        response: { 200: CompletedAgenticCheckout, ...checkoutErrors },
      },
    },
    async ({ account, body, caller, headers, params: { checkout_session_id: id } }, reply) => {
      begin(headers, reply)
      const { checkout, replayed } = await completeCheckout(world, {
        place: placeOf(account, caller),
        id,
        body,
        path: `${PATH}/${id}/complete`,
        key: headers['idempotency-key'],
      })
      markReplay(reply, replayed)
      return checkout
    },
  )

  app.post(
    `${PATH}/:checkout_session_id/cancel`,
    {
      config: write,
      errorHandler,
      preValidation,
      schema: {
        operationId: 'cancel_agentic_checkout',
        summary: 'Cancel an agentic checkout session',
        description:
          'The operation `cancelCheckoutSession` of the Agentic Commerce Protocol. 405 if the session is over, 409 while a payment is under way. Railyard does not keep `intent_trace`.',
        tags,
        headers: protocolWriteHeaders,
        params: checkoutParams,
        body: AgenticCheckoutCancel,
        response: { 200: AgenticCheckout, ...checkoutErrors },
      },
    },
    async ({ account, body, caller, headers, params: { checkout_session_id: id } }, reply) => {
      begin(headers, reply)
      const place = placeOf(account, caller)
      const row = await readCheckout(world, place, id)
      const keyed = keyedRequest(place, `${PATH}/${id}/cancel`, headers['idempotency-key'], body)
      const done = await doOnce(world, keyed, async (claim) => {
        const refused = refusalOf(world, row)
        if (refused) throw refused
        if (!(await cancelCheckout(world, row, claim)))
          throw refusalOf(world, await readCheckout(world, place, id)) ?? changedMeanwhile()
      })
      markReplay(reply, done.replayed)
      return showCheckout(world, await readCheckout(world, place, id))
    },
  )
}
