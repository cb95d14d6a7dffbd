import { Type } from 'typebox'
import { notFound, orNotFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { throwProblems } from '../../api/throw-problems.ts'
import { urlProblem } from '../../outgoing/url-problem.ts'
import { AgenticSeller, AgenticSellerUpdate } from './seller.schema.ts'
import { deleteSeller, putSeller, readSeller } from './seller.store.ts'

const PATH = '/agentic-seller'
const tags = ['Agentic commerce']
const headers = merchantAccountHeader

/** How a merchant account sells through AI agents' platforms. */
export const sellerRoutes: Routes = (app, world) => {
  app.get(
    PATH,
    {
      config: { scopes: ['agentic-seller.read'] },
      schema: {
        operationId: 'get_agentic_seller',
        summary: 'Get how the account sells through AI agents',
        description: 'Your endpoint that prices carts, and where the platform is told of orders.',
        tags,
        headers,
        response: { 200: AgenticSeller },
      },
    },
    async ({ account }) => orNotFound(await readSeller(world, account)),
  )

  app.put(
    PATH,
    {
      config: { scopes: ['agentic-seller.write'] },
      schema: {
        operationId: 'update_agentic_seller',
        summary: 'Sell through AI agents',
        description:
          'Names your endpoint that prices carts, and the platform’s receiver of orders. `order_events` stays as it is where it is absent, and null ends it.',
        tags,
        headers,
        body: AgenticSellerUpdate,
        response: { 200: AgenticSeller },
      },
    },
    async ({ account, body }) => {
      const ofPrices = urlProblem(world.settings, body.pricing_url)
      const ofOrders = body.order_events && urlProblem(world.settings, body.order_events.url)
      throwProblems({
        ...(ofPrices && { '/pricing_url': ofPrices }),
        ...(ofOrders && { '/order_events/url': ofOrders }),
      })
      return putSeller(world, account, body)
    },
  )

  app.delete(
    PATH,
    {
      config: { scopes: ['agentic-seller.write'] },
      schema: {
        operationId: 'delete_agentic_seller',
        summary: 'Stop selling through AI agents',
        description: 'No more checkouts are priced, and nothing more is sent of orders. Payments stay.',
        tags,
        headers,
        response: { 204: Type.Null() },
      },
    },
    async ({ account }, reply) => {
      if (!(await deleteSeller(world, account))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}
