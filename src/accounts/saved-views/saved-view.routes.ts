import { Type } from 'typebox'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { SavedView, SavedViewCreate, SavedViews, SavedViewUpdate } from './saved-view.schema.ts'
import {
  deleteSavedView,
  insertSavedView,
  listSavedViews,
  showSavedView,
  updateSavedView,
} from './saved-view.store.ts'

const tags = ['Saved views']
const read = { scopes: ['saved-views.read'] }
const write = { scopes: ['saved-views.write'] }
const params = Type.Object({ saved_view_id: Uuid })

export const savedViewRoutes: Routes = (app, world) => {
  app.get(
    '/saved-views',
    {
      config: read,
      schema: {
        operationId: 'list_saved_views',
        summary: 'List saved views',
        description: 'Your own views of lists and those that the merchant account shares, by name.',
        tags,
        headers,
        response: { 200: SavedViews },
      },
    },
    async ({ account, caller }) => ({
      items: (await listSavedViews(world, account, caller)).map((row) => showSavedView(row, caller)),
    }),
  )

  app.post(
    '/saved-views',
    {
      config: write,
      schema: {
        operationId: 'create_saved_view',
        summary: 'Save a view',
        description:
          'Keeps the filters and the columns of a list under a name. It is private unless `shared`; a key pair’s is shared.',
        tags,
        headers,
        body: SavedViewCreate,
        response: { 201: SavedView },
      },
    },
    async ({ account, caller, body }, reply) =>
      reply.code(201).send(showSavedView(await insertSavedView(world, account, caller, body), caller)),
  )

  app.put(
    '/saved-views/:saved_view_id',
    {
      config: write,
      schema: {
        operationId: 'update_saved_view',
        summary: 'Change a saved view',
        description:
          'Changes the members that are sent. Only its owner changes a view; an administrator changes shared ones, too.',
        tags,
        headers,
        params,
        body: SavedViewUpdate,
        response: { 200: SavedView },
      },
    },
    async ({ account, caller, params, body }) =>
      showSavedView(await updateSavedView(world, account, params.saved_view_id, caller, body), caller),
  )

  app.delete(
    '/saved-views/:saved_view_id',
    {
      config: write,
      schema: {
        operationId: 'delete_saved_view',
        summary: 'Delete a saved view',
        description: 'Deletes a view. Only its owner deletes it; an administrator deletes shared ones, too.',
        tags,
        headers,
        params,
        response: { 200: Type.Any({ description: 'Never answered' }), 204: Type.Null() },
      },
    },
    async ({ account, caller, params }, reply) => {
      await deleteSavedView(world, account, params.saved_view_id, caller)
      return reply.code(204).send(null)
    },
  )
}
