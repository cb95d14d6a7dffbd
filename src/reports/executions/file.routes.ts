import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { enterAccountTime } from '../../accounts/merchant-accounts/account-clock.store.ts'
import { limitRate } from '../../api/auth/rate-limit.ts'
import { notFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { findExecution } from './execution.store.ts'
import { readFile } from './file.store.ts'
import { checkLink, fileName } from './file-url.ts'

/**
 * The download of a report file by its link. The link's signature is the credential, since browsers follow
 * these links.
 */
export const reportFileRoutes: Routes = (app, world) => {
  app.get(
    '/report-executions/:report_execution_id/file',
    {
      config: { scopes: 'public' },
      schema: {
        hide: true,
        params: Type.Object({ report_execution_id: Uuid }),
        querystring: Type.Object({
          account: Type.String({ maxLength: 50 }),
          expires: Type.Integer({ minimum: 0, maximum: 253_402_300_799 }),
          signature: Type.String({ maxLength: 100 }),
        }),
      },
    },
    async ({ params: { report_execution_id: id }, query: { account, expires, signature } }, reply) => {
      await enterAccountTime(world, account)
      checkLink(world, { account, execution: id, expires }, signature)
      await limitRate(world.run, world.machineClock, `report-file/${id}`, {
        limit: 50,
        message: 'Too many requests with this link',
      })
      const execution = await findExecution(world.db, account, id)
      if (execution?.status !== 'succeeded' || execution.erased_at !== null)
        throw notFound('The file was erased')
      reply.headers({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${fileName(execution.report.name, execution.reference_timestamp)}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
      return reply.send(
        Readable.from(readFile(world, account, id, execution.file_chunks ?? 0), { objectMode: false }),
      )
    },
  )
}
