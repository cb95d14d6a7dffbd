import { Type } from 'typebox'
import { badRequest, gatewayTimeout, notFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { findPaymentMethodRow } from '../payment-methods/payment-method.store.ts'
import {
  Cryptogram,
  CryptogramCreate,
  NetworkToken,
  NetworkTokenCreate,
  NetworkTokens,
} from './network-token.schema.ts'
import { networkTokensOf, showNetworkToken } from './network-token.store.ts'
import {
  changeToken,
  deleteToken,
  provisionToken,
  requireToken,
  tokenService,
  tokenServiceClient,
} from './network-token.ts'

const tags = ['Payment methods - Network tokens']
const read = { scopes: ['payment-methods.read'] }
const write = { scopes: ['payment-methods.write'] }
const methodParams = Type.Object({ payment_method_id: Uuid })
const params = Type.Object({ payment_method_id: Uuid, network_token_id: Uuid })
const tokens = '/payment-methods/:payment_method_id/network-tokens'

/**
 * The network tokens of stored cards: numbers that card schemes make for a merchant in place of a card's
 * (semantics §5.4).
 */
export const networkTokenRoutes: Routes = (app, world) => {
  app.get(
    tokens,
    {
      config: read,
      schema: {
        operationId: 'list_payment_method_network_tokens',
        summary: 'List network tokens',
        description: 'The tokens that the card’s scheme has made for a stored card.',
        tags,
        headers,
        params: methodParams,
        response: { 200: NetworkTokens },
      },
    },
    async ({ account, params: { payment_method_id: method } }) => {
      if (!(await findPaymentMethodRow(world, account, method))) throw notFound()
      const rows = await networkTokensOf(world, account, method)
      return { items: await Promise.all(rows.map((row) => showNetworkToken(world, row))) }
    },
  )

  app.post(
    tokens,
    {
      config: write,
      schema: {
        operationId: 'create_payment_method_network_token',
        summary: 'Provision a network token',
        description:
          'Asks the card’s scheme for a token. The merchant account must have the scheme’s requestor id, and the card no token yet. A security code is passed on and not stored. If the answer is lost (504), the token is requested again.',
        tags,
        headers,
        params: methodParams,
        body: NetworkTokenCreate,
        response: { 201: NetworkToken },
      },
    },
    async ({ account, params: { payment_method_id: method }, body }, reply) =>
      reply.code(201).send(await showNetworkToken(world, await provisionToken(world, account, method, body))),
  )

  app.post(
    `${tokens}/:network_token_id/cryptogram`,
    {
      config: read,
      schema: {
        operationId: 'create_payment_method_network_token_cryptogram',
        summary: 'Provision a cryptogram',
        description:
          'A cryptogram for one payment with an active token, for merchants that send the token to a payment service themselves.',
        tags,
        headers,
        params,
        body: CryptogramCreate,
        response: { 201: Cryptogram },
      },
    },
    async ({ account, params: { payment_method_id: method, network_token_id: id }, body }, reply) => {
      const row = await requireToken(world, account, method, id)
      const service = tokenService(world)
      if (row.status !== 'active') throw badRequest('The token is not active')
      const answer = await service.cryptogram(
        tokenServiceClient(world, 'cryptogram'),
        row.id,
        body.merchant_initiated,
      )
      if (answer.status === 'refused') throw badRequest(`The scheme refused: ${answer.reason}`)
      if (answer.status === 'unknown') throw gatewayTimeout()
      return reply
        .code(201)
        .send({ type: 'network-token-cryptogram' as const, cryptogram: answer.value.cryptogram })
    },
  )

  for (const change of ['suspend', 'resume'] as const)
    app.post(
      `${tokens}/:network_token_id/${change}`,
      {
        config: write,
        schema: {
          operationId: `${change}_payment_method_network_token`,
          ...changeTexts[change],
          tags,
          headers,
          params,
          response: { 200: NetworkToken },
        },
      },
      async ({ account, params: { payment_method_id: method, network_token_id: id } }) =>
        showNetworkToken(world, await changeToken(world, account, method, id, change)),
    )

  app.delete(
    `${tokens}/:network_token_id`,
    {
      config: write,
      schema: {
        operationId: 'delete_payment_method_network_token',
        summary: 'Delete a network token',
        description: 'Deletes it here and at the scheme.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ account, params: { payment_method_id: method, network_token_id: id } }, reply) => {
      await deleteToken(world, account, method, id)
      return reply.code(204).send(null)
    },
  )
}

const changeTexts = {
  suspend: {
    summary: 'Suspend a network token',
    description: 'Payments use the card’s own number until the token is resumed. The token must be active.',
  },
  resume: { summary: 'Resume a network token', description: 'Makes a suspended token active again.' },
} as const
