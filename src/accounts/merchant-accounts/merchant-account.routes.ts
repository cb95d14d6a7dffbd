import { Type } from 'typebox'
import { canSeeAccount } from '../../api/auth/caller.ts'
import { forbidden, notFound } from '../../api/errors.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Nullable, pageQuery } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import {
  MerchantAccount,
  MerchantAccountCreate,
  MerchantAccounts,
  MerchantAccountUpdate,
} from './merchant-account.schema.ts'
import {
  findMerchantAccount,
  insertMerchantAccount,
  listMerchantAccounts,
  toMerchantAccount,
  updateMerchantAccount,
} from './merchant-account.store.ts'

const tags = ['Merchant accounts']
const params = Type.Object({ merchant_account_id: Type.String() })
const read = { scopes: ['merchant-accounts.read'], merchantScoped: false }
const write = { scopes: ['merchant-accounts.write'], merchantScoped: false }

export const merchantAccountRoutes: Routes = (app, world) => {
  app.get(
    '/merchant-accounts',
    {
      config: read,
      schema: {
        operationId: 'list_merchant_accounts',
        summary: 'List merchant accounts',
        description: 'The accounts that you may act on, the newest first.',
        tags,
        querystring: Type.Object({ ...pageQuery(), search: Type.Optional(Nullable(Type.String())) }),
        response: { 200: MerchantAccounts },
      },
    },
    async ({ query, caller }) => {
      const search = query.search ?? null
      const list = `merchant-accounts\n${search ?? ''}`
      return answerPage(world.cipher, list, query, {
        read: (page) => listMerchantAccounts(world, { search, accountIds: caller.merchantAccountIds }, page),
        positionOf: newestFirstPosition,
        show: (row) => toMerchantAccount(world, row),
      })
    },
  )

  app.post(
    '/merchant-accounts',
    {
      config: write,
      schema: {
        operationId: 'create_merchant_account',
        summary: 'Create a merchant account',
        description:
          'Makes an account for a shop or a brand. It can take payments once it has a payment service.',
        tags,
        body: MerchantAccountCreate,
        response: { 201: MerchantAccount },
      },
    },
    async ({ body, caller }, reply) => {
      if (caller.merchantAccountIds.length > 0)
        throw forbidden('You are limited to some merchant accounts and cannot create others')
      return reply.code(201).send(await insertMerchantAccount(world, body))
    },
  )

  app.get(
    '/merchant-accounts/:merchant_account_id',
    {
      config: read,
      schema: {
        operationId: 'get_merchant_account',
        summary: 'Get a merchant account',
        description: 'Finds one account by its id.',
        tags,
        params,
        response: { 200: MerchantAccount },
      },
    },
    async ({ params, caller }) => {
      const account = canSeeAccount(caller, params.merchant_account_id)
        ? await findMerchantAccount(world, params.merchant_account_id)
        : undefined
      if (!account) throw notFound()
      return account
    },
  )

  app.put(
    '/merchant-accounts/:merchant_account_id',
    {
      config: write,
      schema: {
        operationId: 'update_merchant_account',
        summary: 'Update a merchant account',
        description: 'Changes the settings that you send and leaves the others.',
        tags,
        params,
        body: MerchantAccountUpdate,
        response: { 200: MerchantAccount },
      },
    },
    async ({ params, body, caller }) => {
      const id = params.merchant_account_id
      const account = canSeeAccount(caller, id) ? await updateMerchantAccount(world, id, body) : undefined
      if (!account) throw notFound()
      return account
    },
  )
}
