import { Type } from 'typebox'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { AccountUpdaterJob, AccountUpdaterJobCreate } from './account-updater.schema.ts'
import { createUpdaterJob } from './account-updater.ts'

export const accountUpdaterRoutes: Routes = (app, world) => {
  app.post(
    '/account-updater/jobs',
    {
      config: { scopes: ['payment-methods.write'] },
      schema: {
        operationId: 'create_account_updater_job',
        summary: 'Ask the account updater',
        description:
          'Asks the issuers whether stored cards were replaced. Newer details are stored in standby (`has_replacement`) and used when the old card is refused as invalid. Answers 204 if none of the cards can be inquired, or all have an open inquiry.',
        tags: ['Account updater'],
        headers: merchantAccountHeader,
        body: AccountUpdaterJobCreate,
        response: { 201: AccountUpdaterJob, 204: Type.Null() },
      },
    },
    async ({ account, body }, reply) => {
      const job = await createUpdaterJob(world, account, body.payment_method_ids)
      return job ? reply.code(201).send(job) : reply.code(204).send(null)
    },
  )
}
