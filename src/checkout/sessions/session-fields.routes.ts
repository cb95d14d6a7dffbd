import { Type } from 'typebox'
import type { App } from '../../api/app.ts'
import { limitRate, limitRates, tokenRate } from '../../api/auth/rate-limit.ts'
import { invalid, notFound, orNotFound } from '../../api/errors.ts'
import { clientAddress } from '../../api/request/client-address.ts'
import type { Routes } from '../../api/routes.ts'
import { Open } from '../../api/schema.ts'
import { refuseCardNumberInToken } from '../../vault/cards/described-card.ts'
import type { World } from '../../world.ts'
import { attemptLimits } from '../cards/card-attempts.ts'
import { sessionCardDetailsOfBin } from '../cards/card-details.ts'
import { sessionParams } from './checkout-session.routes.ts'
import {
  CheckoutSessionCardDetails,
  CheckoutSessionCardDetailsRequest,
  CheckoutSessionSecureFields,
  CheckoutSessionThreeDSMethod,
} from './checkout-session.schema.ts'
import {
  buyerOfSession,
  type CheckoutSessionRow,
  findSessionForBrowser,
  setSessionFields,
} from './checkout-session.store.ts'
import {
  type EnteredMethod,
  enteredCard,
  enteredClickToPay,
  enteredProviderToken,
  enteredStored,
} from './entered-method.ts'
import { acquirerOfSession } from './session-acquirer.ts'
import { beginThreeDSMethod } from './three-ds-method.ts'

const tags = ['Checkout sessions']
const config = { scopes: 'public' } as const

/**
 * The browser's side of a checkout session. It needs no token: the session's id is the credential (semantics
 * §0.6).
 */
export const sessionFieldsRoutes: Routes = (app, world) => {
  fieldsRoute(app, world, 'PUT', {
    operationId: 'update_checkout_session_fields',
    summary: 'Set the fields of a checkout session',
  })
  fieldsRoute(app, world, 'POST', {
    operationId: 'post_checkout_session_fields',
    summary: 'Set the fields of a checkout session with POST',
  })

  threeDSMethodRoute(app, world)

  app.post(
    '/checkout/sessions/:session_id/card-details',
    {
      config,
      schema: {
        operationId: 'get_checkout_session_card_details',
        summary: 'Get card details for a checkout session',
        description:
          'The details of a card by the first digits of its number, while the buyer types. The session’s id is the credential.',
        tags,
        params: sessionParams,
        body: CheckoutSessionCardDetailsRequest,
        response: { 200: CheckoutSessionCardDetails },
      },
    },
    async ({ params, body }, reply) => {
      const { id } = await requireCheckoutSession(world, params.session_id)
      reply.headers(await limitRate(world.run, world.machineClock, `checkout-session/${id}/card-details`))
      return sessionCardDetailsOfBin(world, body.bin)
    },
  )

  app.get(
    '/checkout/sessions/:session_id/acquirer',
    {
      config,
      schema: {
        operationId: 'get_checkout_session_acquirer',
        summary: 'Get the acquirer of a checkout session',
        description:
          'The 3-D Secure configuration for the entered card, with which a client library authenticates the buyer itself; empty if there is none. The session’s id is the credential.',
        tags,
        params: sessionParams,
        response: { 200: Open },
      },
    },
    async ({ params }, reply) => {
      const session = await requireCheckoutSession(world, params.session_id)
      reply.headers(await limitRate(world.run, world.machineClock, `checkout-session/${session.id}/acquirer`))
      return acquirerOfSession(world, session)
    },
  )
}

/** The issuer's page may see the browser before the payment (EMV 3DS, 3DS method). */
function threeDSMethodRoute(app: App, world: World): void {
  app.post(
    '/checkout/sessions/:session_id/three-ds-method',
    {
      config,
      schema: {
        operationId: 'create_checkout_session_three_ds_method',
        summary: 'Begin the 3DS method of a checkout session',
        description:
          'Asks the 3DS server whether the issuer of the entered card wants to see the buyer’s browser before the payment. The browser posts `method_data` to `method_url` in a hidden frame, for ten seconds at most; the issuer’s page tells Railyard when it is done. A card that is entered later needs another one. The session’s id is the credential.',
        tags,
        params: sessionParams,
        response: { 200: CheckoutSessionThreeDSMethod },
      },
    },
    async ({ params }, reply) => {
      const session = await requireCheckoutSession(world, params.session_id)
      reply.headers(
        await limitRate(world.run, world.machineClock, `checkout-session/${session.id}/three-ds-method`),
      )
      return { type: 'three-ds-method' as const, method: await beginThreeDSMethod(world, session) }
    },
  )
}

/** PUT and POST do the same (semantics §0.4). */
function fieldsRoute(
  app: App,
  world: World,
  method: 'PUT' | 'POST',
  names: { operationId: string; summary: string },
): void {
  app.route({
    method,
    url: '/checkout/sessions/:session_id/fields',
    config,
    schema: {
      ...names,
      description:
        'The buyer’s browser sends the card directly to Railyard, not through the merchant’s server. The session’s id is the credential.',
      tags,
      params: sessionParams,
      body: CheckoutSessionSecureFields,
      response: { 204: Type.Null() },
    },
    async handler(request, reply) {
      const { params, body } = request
      const session = await requireCheckoutSession(world, params.session_id)
      const number = 'number' in body.payment_method ? body.payment_method.number : undefined
      const limits = attemptLimits(world, {
        account: session.merchant_account_id,
        address: clientAddress(request),
        number,
      })
      reply.headers(
        await limitRates(
          world.run,
          world.machineClock,
          { ...tokenRate, key: `checkout-session/${session.id}` },
          ...limits,
        ),
      )
      const entered = await readEnteredMethod(world, session, body)
      if (!(await setSessionFields(world, session, entered, body.postal_code ?? null))) throw notFound()
      return reply.code(204).send(null)
    },
  })
}

async function requireCheckoutSession(world: World, id: string): Promise<CheckoutSessionRow> {
  return orNotFound(await findSessionForBrowser(world, id))
}

async function readEnteredMethod(
  world: World,
  session: CheckoutSessionRow,
  { payment_method: input }: CheckoutSessionSecureFields,
): Promise<EnteredMethod> {
  if ('number' in input) return enteredCard(world, session.merchant_account_id, input)
  if (input.method === 'provider-token') {
    const service = session.details.payment_service_id
    if (typeof service !== 'string')
      throw invalid({
        '/payment_method/method': 'needs a checkout session with the payment service that made the token',
      })
    refuseCardNumberInToken(world, input.token)
    return enteredProviderToken(input, service)
  }
  if (!('id' in input)) return enteredClickToPay(input)
  const buyer = await buyerOfSession(world, session.merchant_account_id, session.details)
  if (!buyer)
    throw invalid({ '/payment_method/id': 'needs a checkout session that was made for a stored buyer' })
  const stored = await enteredStored(world, buyer, input.id, input.security_code ?? null)
  if (!stored) throw invalid({ '/payment_method/id': 'is not a payment method of the session’s buyer' })
  return stored
}
