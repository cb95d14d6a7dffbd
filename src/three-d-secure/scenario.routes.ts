import { Type } from 'typebox'
import { forbidden, notFound, orNotFound } from '../api/errors.ts'
import { merchantAccountHeader as headers } from '../api/headers.ts'
import { answerPage } from '../api/pagination.ts'
import type { Routes } from '../api/routes.ts'
import { pageQuery, Uuid } from '../api/schema.ts'
import { newestFirstPosition } from '../database/rows/newest-first.ts'
import {
  ThreeDSScenario,
  ThreeDSScenarioCreate,
  ThreeDSScenarios,
  ThreeDSScenarioUpdate,
} from './scenario.schema.ts'
import {
  deleteScenario,
  insertScenario,
  listScenarios,
  showScenario,
  updateScenario,
} from './scenario.store.ts'

const tags = ['3DS scenarios']
const params = Type.Object({ three_ds_scenario_id: Uuid })
const read = { scopes: ['three-ds-scenarios.read'] }
const write = { scopes: ['three-ds-scenarios.write'] }

export const threeDSScenarioRoutes: Routes = (app, world) => {
  /** Real issuers cannot be told what to answer (semantics §7.3). */
  const preValidation = async () => {
    if (world.settings.environment !== 'sandbox')
      throw forbidden('3-D Secure scenarios exist in the sandbox only')
  }

  app.get(
    '/three-ds-scenarios',
    {
      config: read,
      preValidation,
      schema: {
        operationId: 'get_three_ds_scenario',
        summary: 'List 3DS scenarios',
        description:
          'The answers of the sandbox’s issuers and the payments that get them, the newest first. Sandbox only: 403 in production.',
        tags,
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: ThreeDSScenarios },
      },
    },
    async ({ query, account }) => {
      const list = JSON.stringify(['three-ds-scenarios', account])
      return answerPage(world.cipher, list, query, {
        read: (page) => listScenarios(world, account, page),
        positionOf: newestFirstPosition,
        show: showScenario,
      })
    },
  )

  app.post(
    '/three-ds-scenarios',
    {
      config: write,
      preValidation,
      schema: {
        operationId: 'create_three_ds_scenario',
        summary: 'Create a 3DS scenario',
        description:
          'A payment for which all the conditions hold and 3-D Secure runs gets this outcome. Of several such scenarios the one with the most conditions counts, then the newest. ' +
          'Sandbox only: 403 in production.',
        tags,
        headers,
        body: ThreeDSScenarioCreate,
        response: { 201: ThreeDSScenario },
      },
    },
    async ({ body, account }, reply) => reply.code(201).send(await insertScenario(world, account, body)),
  )

  app.put(
    '/three-ds-scenarios/:three_ds_scenario_id',
    {
      config: write,
      preValidation,
      schema: {
        operationId: 'update_three_ds_scenario',
        summary: 'Update a 3DS scenario',
        description:
          'Replaces the conditions, the outcome, or both, each as a whole. A card number as it was answered, masked, keeps the card. Sandbox only: 403 in production.',
        tags,
        headers,
        params,
        body: ThreeDSScenarioUpdate,
        response: { 200: ThreeDSScenario },
      },
    },
    async ({ params, body, account }) =>
      orNotFound(await updateScenario(world, account, params.three_ds_scenario_id, body)),
  )

  app.delete(
    '/three-ds-scenarios/:three_ds_scenario_id',
    {
      config: write,
      preValidation,
      schema: {
        operationId: 'delete_three_ds_scenario',
        summary: 'Delete a 3DS scenario',
        description:
          'Payments that begin afterwards are no longer played by it. Sandbox only: 403 in production.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteScenario(world, account, params.three_ds_scenario_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )
}
