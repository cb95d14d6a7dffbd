import { Type } from 'typebox'
import { invalid, notFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import type { Routes } from '../api/routes.ts'
import { Uuid } from '../api/schema.ts'
import {
  MetricsExplorerPreset,
  MetricsExplorerPresetCreate,
  MetricsExplorerPresetUpdate,
  MetricsExplorerSource,
} from './explorer.schema.ts'
import { readQuery } from './filters.ts'
import { deletePreset, insertPreset, listPresets, renamePreset, showPreset } from './preset.store.ts'

const tags = ['Insights - Presets']
const read = { scopes: ['metrics-explorer.read'] }
const write = { scopes: ['metrics-explorer.write'] }
const sourceParams = Type.Object({ source: MetricsExplorerSource })
const params = Type.Object({ source: MetricsExplorerSource, preset_id: Uuid })

export const presetRoutes: Routes = (app, world) => {
  app.get(
    '/metrics-explorer/:source/presets',
    {
      config: read,
      schema: {
        operationId: 'list_metrics_explorer_presets',
        summary: 'List the presets of a source',
        description: 'The presets of the account, the newest first.',
        tags,
        headers,
        params: sourceParams,
        response: { 200: Type.Array(MetricsExplorerPreset) },
      },
    },
    async ({ account, params }) =>
      (await listPresets(world, { account, source: params.source })).map(showPreset),
  )

  app.post(
    '/metrics-explorer/:source/presets',
    {
      config: write,
      schema: {
        operationId: 'create_metrics_explorer_preset',
        summary: 'Create a preset',
        description:
          'Stores a metric and its filters under a name. A range such as `P7D/now` ends when the preset is used.',
        tags,
        headers,
        params: sourceParams,
        body: MetricsExplorerPresetCreate,
        response: { 200: MetricsExplorerPreset },
      },
    },
    async ({ account, params, body }) => {
      const query = readQuery(body.metric, body.filters, world.clock)
      if ('problems' in query)
        throw invalid(
          Object.fromEntries(
            Object.entries(query.problems).map(([name, problem]) => [`/filters/${name}`, problem]),
          ),
        )
      return showPreset(await insertPreset(world, { account, source: params.source }, body))
    },
  )

  app.put(
    '/metrics-explorer/:source/presets/:preset_id',
    {
      config: write,
      schema: {
        operationId: 'update_metrics_explorer_preset',
        summary: 'Rename a preset',
        description: 'Changes the name of a preset. Its metric and filters cannot be changed.',
        tags,
        headers,
        params,
        body: MetricsExplorerPresetUpdate,
        response: { 200: MetricsExplorerPreset },
      },
    },
    async ({ account, params, body }) => {
      const row = await renamePreset(
        world,
        { account, source: params.source },
        params.preset_id,
        body.display_name,
      )
      if (!row) throw notFound()
      return showPreset(row)
    },
  )

  app.delete(
    '/metrics-explorer/:source/presets/:preset_id',
    {
      config: write,
      schema: {
        operationId: 'delete_metrics_explorer_preset',
        summary: 'Delete a preset',
        description: 'Deletes a preset.',
        tags,
        headers,
        params,
        response: { 200: Type.Any({ description: 'Never answered' }), 204: Type.Null() },
      },
    },
    async ({ account, params }, reply) => {
      if (!(await deletePreset(world, { account, source: params.source }, params.preset_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}
