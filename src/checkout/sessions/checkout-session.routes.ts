import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { throwProblems } from '../../api/throw-problems.ts'
import { countryProblem } from '../../api/values/country.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { isMetadataTooLarge } from '../../api/values/metadata.ts'
import { findRequestedBuyer } from '../../buyers/buyer.store.ts'
import type { World } from '../../world.ts'
import { cartProblems } from '../cart-item.ts'
import { CheckoutSession, CheckoutSessionCreate, CheckoutSessionUpdate } from './checkout-session.schema.ts'
import {
  deleteCheckoutSession,
  findCheckoutSession,
  insertCheckoutSession,
  updateCheckoutSession,
} from './checkout-session.store.ts'

const tags = ['Checkout sessions']
export const sessionParams = Type.Object({ session_id: Uuid })
const write = { scopes: ['checkout-sessions.write'] }

/** Throws 400 for values that no transaction would accept. */
async function checkSessionRules(
  world: World,
  account: string,
  { currency, country, metadata, cart_items, buyer_id }: CheckoutSessionUpdate,
): Promise<void> {
  const wrongCountry = country && countryProblem(country)
  throwProblems({
    ...(currency && !isCurrency(currency) && { '/currency': 'is not an ISO 4217 code' }),
    ...(wrongCountry && { '/country': wrongCountry }),
    ...(metadata &&
      isMetadataTooLarge(metadata) && {
        '/metadata': 'may hold 50 pairs, with keys of 100 and values of 500 characters',
      }),
    ...cartProblems(cart_items),
  })
  if (buyer_id) await findRequestedBuyer(world, account, { buyer_id })
}

/**
 * The merchant's side of a checkout session (semantics §9); the browser's is in `session-fields.routes.ts`.
 */
export const checkoutSessionRoutes: Routes = (app, world) => {
  app.post(
    '/checkout/sessions',
    {
      config: write,
      schema: {
        operationId: 'create_checkout_session',
        summary: 'Create a checkout session',
        description:
          'Holds a planned payment. The buyer’s browser sends the card to it, and a transaction takes the card from it.',
        tags,
        headers: merchantAccountHeader,
        body: CheckoutSessionCreate,
        response: { 201: CheckoutSession },
      },
    },
    async ({ account, body }, reply) => {
      const input = body === null || Array.isArray(body) ? {} : body
      await checkSessionRules(world, account, input)
      return reply.code(201).send(await insertCheckoutSession(world, account, input))
    },
  )

  app.get(
    '/checkout/sessions/:session_id',
    {
      config: { scopes: ['checkout-sessions.read'] },
      schema: {
        operationId: 'get_checkout_session',
        summary: 'Get a checkout session',
        description:
          'One session by its id, until it expires. What may be shown of the payment method is there once the buyer has entered it.',
        tags,
        headers: merchantAccountHeader,
        params: sessionParams,
        response: { 200: CheckoutSession },
      },
    },
    async ({ account, params }) =>
      (await findCheckoutSession(world, account, params.session_id)) ?? throwNotFound(),
  )

  app.put(
    '/checkout/sessions/:session_id',
    {
      config: write,
      schema: {
        operationId: 'update_checkout_session',
        summary: 'Update a checkout session',
        description:
          'Changes the values that are named and leaves the others. `expires_in` starts its time anew.',
        tags,
        headers: merchantAccountHeader,
        params: sessionParams,
        body: CheckoutSessionUpdate,
        response: { 200: CheckoutSession },
      },
    },
    async ({ account, params, body }) => {
      await checkSessionRules(world, account, body)
      return (await updateCheckoutSession(world, account, params.session_id, body)) ?? throwNotFound()
    },
  )

  app.delete(
    '/checkout/sessions/:session_id',
    {
      config: write,
      schema: {
        operationId: 'delete_checkout_session',
        summary: 'Delete a checkout session',
        description: 'Erases the session and everything that was entered into it.',
        tags,
        headers: merchantAccountHeader,
        params: sessionParams,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params }, reply) => {
      if (!(await deleteCheckoutSession(world, account, params.session_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}

const throwNotFound = (): never => {
  throw notFound()
}
