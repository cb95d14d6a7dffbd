import { Type } from 'typebox'
import { visibleAccount } from '../accounts/merchant-accounts/visible-account.ts'
import { notFound, orNotFound } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { Currency, Described, Nullable, Uuid } from '../api/schema.ts'
import { credentialsApproval } from '../configured-services/service-approval.ts'
import {
  ThreeDSConfiguration,
  ThreeDSConfigurationCreate,
  ThreeDSConfigurations,
  ThreeDSConfigurationUpdate,
} from './configuration.schema.ts'
import {
  deleteConfiguration,
  insertConfiguration,
  listConfigurations,
  updateConfiguration,
} from './configuration.store.ts'

const tags = ['Merchant accounts - 3DS configuration']
const account = { merchant_account_id: Type.String() }
const params = Type.Object(account)
const configurationParams = Type.Object({ ...account, three_ds_configuration_id: Uuid })
const read = { scopes: ['merchant-accounts.read'], merchantScoped: false }
const write = { scopes: ['merchant-accounts.write'], merchantScoped: false }
const approval = credentialsApproval({
  type: 'merchant-account.three-ds-configuration',
  table: 'three_d_secure_configurations',
  parameter: 'three_ds_configuration_id',
  members: [],
})
const currency = Described(
  Currency,
  'Those for this currency alone; absent: all, also those for any currency',
)

export const threeDSConfigurationRoutes: Routes = (app, world) => {
  app.get(
    '/merchant-accounts/:merchant_account_id/three-ds-configurations',
    {
      config: read,
      schema: {
        operationId: 'list_three_ds_configurations',
        summary: 'List 3DS configurations',
        description:
          'Under which names the account asks card schemes to authenticate cardholders, the newest first.',
        tags,
        params,
        querystring: Type.Object({ currency: Type.Optional(Nullable(currency)) }),
        response: { 200: ThreeDSConfigurations },
      },
    },
    async ({ params, query, caller }) => {
      const id = await visibleAccount(world, caller, params.merchant_account_id)
      return { items: await listConfigurations(world, id, query.currency ?? null) }
    },
  )

  app.post(
    '/merchant-accounts/:merchant_account_id/three-ds-configurations',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'create_three_ds_configuration',
        summary: 'Create a 3DS configuration',
        description:
          'Used for a card of the scheme where the payment service has no profile of its own for it. Of several that fit, one for the transaction’s currency goes before one for any, ' +
          'then one whose merchant is in the transaction’s country, then the one with the most metadata, then the newest.',
        tags,
        params,
        body: ThreeDSConfigurationCreate,
        response: { 201: ThreeDSConfiguration },
      },
    },
    async ({ params, body, caller }, reply) => {
      const id = await visibleAccount(world, caller, params.merchant_account_id)
      return reply.code(201).send(await insertConfiguration(world, id, body))
    },
  )

  app.put(
    '/merchant-accounts/:merchant_account_id/three-ds-configurations/:three_ds_configuration_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'edit_three_ds_configuration',
        summary: 'Update a 3DS configuration',
        description:
          'Changes what is named and leaves the rest; metadata is replaced as a whole, and a currency of null means any.',
        tags,
        params: configurationParams,
        body: ThreeDSConfigurationUpdate,
        response: { 200: ThreeDSConfiguration },
      },
    },
    async ({ params, body, caller }) => {
      const id = await visibleAccount(world, caller, params.merchant_account_id)
      return orNotFound(await updateConfiguration(world, id, params.three_ds_configuration_id, body))
    },
  )

  app.delete(
    '/merchant-accounts/:merchant_account_id/three-ds-configurations/:three_ds_configuration_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'delete_three_ds_configuration',
        summary: 'Delete a 3DS configuration',
        description:
          'Payments that begin afterwards do not use it; without another one that fits they go without 3-D Secure.',
        tags,
        params: configurationParams,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, caller }, reply) => {
      const id = await visibleAccount(world, caller, params.merchant_account_id)
      if (!(await deleteConfiguration(world, id, params.three_ds_configuration_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}
