import { Type } from 'typebox'
import { notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { Uuid } from '../api/schema.ts'
import {
  ShippingDetails,
  ShippingDetailsCreate,
  ShippingDetailsList,
  ShippingDetailsUpdate,
} from './buyer.schema.ts'
import {
  deleteShippingDetails,
  findShippingDetails,
  insertShippingDetails,
  listShippingDetails,
  updateShippingDetails,
} from './shipping-details.store.ts'

const tags = ['Buyers - Shipping details']
const ofBuyer = Type.Object({ buyer_id: Uuid })
const params = Type.Object({ buyer_id: Uuid, shipping_details_id: Uuid })
const read = { scopes: ['buyers.read'] }
const write = { scopes: ['buyers.write'] }

export const shippingDetailsRoutes: Routes = (app, world) => {
  app.get(
    '/buyers/:buyer_id/shipping-details',
    {
      config: read,
      schema: {
        operationId: 'list_buyer_shipping_details',
        summary: 'List shipping details',
        description: 'All shipping details of the buyer, the newest first.',
        tags,
        headers,
        params: ofBuyer,
        response: { 200: ShippingDetailsList },
      },
    },
    async ({ params, account }) => {
      const items = await listShippingDetails(world, account, params.buyer_id)
      if (!items) throw notFound()
      return { items }
    },
  )

  app.post(
    '/buyers/:buyer_id/shipping-details',
    {
      config: write,
      schema: {
        operationId: 'add_buyer_shipping_details',
        summary: 'Create shipping details',
        description:
          'An address to which the merchant sends goods. Payments of the buyer can name the shipping details by their id.',
        tags,
        headers,
        params: ofBuyer,
        body: ShippingDetailsCreate,
        response: { 201: ShippingDetails },
      },
    },
    async ({ params, body, account }, reply) => {
      const details = await insertShippingDetails(world, account, params.buyer_id, body)
      if (!details) throw notFound()
      return reply.code(201).send(details)
    },
  )

  app.get(
    '/buyers/:buyer_id/shipping-details/:shipping_details_id',
    {
      config: read,
      schema: {
        operationId: 'get_buyer_shipping_details',
        summary: 'Get shipping details',
        description: 'One of the buyer’s shipping details by its id.',
        tags,
        headers,
        params,
        response: { 200: ShippingDetails },
      },
    },
    async ({ params, account }) =>
      orNotFound(await findShippingDetails(world, account, params.buyer_id, params.shipping_details_id)),
  )

  app.put(
    '/buyers/:buyer_id/shipping-details/:shipping_details_id',
    {
      config: write,
      schema: {
        operationId: 'update_buyer_shipping_details',
        summary: 'Update shipping details',
        description:
          'Changes what is named and leaves the rest; null clears. An address replaces the whole address.',
        tags,
        headers,
        params,
        body: ShippingDetailsUpdate,
        response: { 200: ShippingDetails },
      },
    },
    async ({ params, body, account }) =>
      orNotFound(
        await updateShippingDetails(world, account, params.buyer_id, params.shipping_details_id, body),
      ),
  )

  app.delete(
    '/buyers/:buyer_id/shipping-details/:shipping_details_id',
    {
      config: write,
      schema: {
        operationId: 'delete_buyer_shipping_details',
        summary: 'Delete shipping details',
        description: 'Transactions that named them keep their copy.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteShippingDetails(world, account, params.buyer_id, params.shipping_details_id)))
        throw notFound()
      return reply.code(204).send(null)
    },
  )
}
