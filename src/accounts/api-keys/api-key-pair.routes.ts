import { Type } from 'typebox'
import type { Caller } from '../../api/auth/caller.ts'
import { notFound, orNotFound } from '../../api/errors.ts'
import { pageOf, readPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery, Uuid } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { keyPairApproval } from '../account-approvals.ts'
import { refuseUnknownAccounts } from '../roles/assignable-accounts.ts'
import { showKeyPair, showKeyPairs } from './api-key-pair.representation.ts'
import { ApiKeyPair, ApiKeyPairCreate, ApiKeyPairs, ApiKeyPairUpdate } from './api-key-pair.schema.ts'
import {
  createKeyPair,
  deleteKeyPair,
  findKeyPair,
  listVisibleKeyPairs,
  updateKeyPair,
} from './api-key-pair.store.ts'
import { emptyGrant, resolveGrant } from './api-key-pair.ts'
import { generateKey } from './private-key.ts'
import { readPublicKey, tokenAlgorithms } from './public-key.ts'

const tags = ['API key pairs']
const params = Type.Object({ api_key_pair_id: Uuid })
const read = { scopes: ['api-key-pairs.read'], merchantScoped: false }
const write = { scopes: ['api-key-pairs.write'], merchantScoped: false }

export const apiKeyPairRoutes: Routes = (app, world) => {
  app.get(
    '/api-key-pairs',
    {
      config: read,
      schema: {
        operationId: 'list_api_key_pairs',
        summary: 'List API key pairs',
        description:
          'The newest first. If you are limited to some merchant accounts, you see the key pairs whose limits lie within yours.',
        tags,
        querystring: Type.Object(pageQuery()),
        response: { 200: ApiKeyPairs },
      },
    },
    async ({ query, caller }) => {
      const list = JSON.stringify(['api-key-pairs', caller.merchantAccountIds])
      const page = readPage(world.cipher, list, query)
      const rows = await listVisibleKeyPairs(world, caller, page)
      const { items, ...envelope } = pageOf(world.cipher, list, page, rows, newestFirstPosition, (row) => row)
      return { items: await showKeyPairs(world, items), ...envelope }
    },
  )

  app.post(
    '/api-key-pairs',
    {
      config: { ...write, approval: keyPairApproval },
      schema: {
        operationId: 'create_api_key_pair',
        summary: 'Create an API key pair',
        description:
          'The roles may open no more than you may do yourself. Without a `public_key`, Railyard makes the pair and answers its private key, this once: it is not stored. With the `public_key` of a pair ' +
          'that you made, only you ever have the private key.',
        tags,
        body: ApiKeyPairCreate,
        response: { 201: ApiKeyPair },
      },
    },
    async ({ body, caller }, reply) => {
      const {
        display_name: displayName,
        algorithm = 'ECDSA',
        public_key,
        merchant_account_ids = [],
        merchant_account_required: mustNameAccount = false,
      } = body
      const grant = resolveGrant(caller, emptyGrant, { ...body, merchant_account_ids })
      await refuseUnknownAccounts(world, merchant_account_ids)
      const { privateKeyPem, ...key } = await (typeof public_key === 'string'
        ? importPublicKey(public_key, algorithm)
        : generateKeyPair(algorithm))
      const pair = await createKeyPair(world, {
        displayName,
        ...key,
        roleIds: grant.roles,
        merchantAccountIds: grant.merchantAccountIds,
        mustNameAccount,
        active: grant.active,
        creator: creatorOf(caller),
      })
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...pair, private_key: privateKeyPem })
    },
  )

  app.get(
    '/api-key-pairs/:api_key_pair_id',
    {
      config: read,
      schema: {
        operationId: 'get_api_key_pair',
        summary: 'Get an API key pair',
        description: 'Finds one key pair by its id. The private key is not answered.',
        tags,
        params,
        response: { 200: ApiKeyPair },
      },
    },
    async ({ params, caller }) =>
      showKeyPair(world, orNotFound(await findKeyPair(world, caller, params.api_key_pair_id))),
  )

  app.put(
    '/api-key-pairs/:api_key_pair_id',
    {
      config: { ...write, approval: keyPairApproval },
      schema: {
        operationId: 'update_api_key_pair',
        summary: 'Update an API key pair',
        description:
          'Changes the members that you send and leaves the others. An inactive key’s tokens are refused at once, until it is active again. The last active administrator without a limit to merchant ' +
          'accounts must stay one.',
        tags,
        params,
        body: ApiKeyPairUpdate,
        response: { 200: ApiKeyPair },
      },
    },
    async ({ params, body, caller }) =>
      orNotFound(await updateKeyPair(world, caller, params.api_key_pair_id, body)),
  )

  app.delete(
    '/api-key-pairs/:api_key_pair_id',
    {
      config: { ...write, approval: keyPairApproval },
      schema: {
        operationId: 'delete_api_key_pair',
        summary: 'Delete an API key pair',
        description:
          'The key’s tokens are refused at once and for ever. The last active administrator without a limit to merchant accounts cannot be deleted.',
        tags,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, caller }, reply) => {
      if (!(await deleteKeyPair(world, caller, params.api_key_pair_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}

const importPublicKey = async (publicKey: string, algorithm: keyof typeof tokenAlgorithms) => ({
  privateKeyPem: null,
  ...(await readPublicKey(publicKey, algorithm)),
})

const generateKeyPair = async (algorithm: keyof typeof tokenAlgorithms) => ({
  algorithm: tokenAlgorithms[algorithm],
  ...(await generateKey(tokenAlgorithms[algorithm])),
})

const creatorOf = ({ actor, token }: Caller) => ({
  id: actor.id,
  name: actor.name,
  email_address: actor.emailAddress,
  thumbprint: token?.kid ?? null,
})
