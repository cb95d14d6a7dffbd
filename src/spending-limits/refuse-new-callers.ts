import type { App } from '../api/app.ts'
import type { Actor } from '../api/auth/caller.ts'
import { forbidden } from '../api/errors.ts'
import type { ApprovalOperation } from '../api/values/approval-target.ts'
import type { World } from '../world.ts'

/** Operations with which a limited caller could act as a caller without limits, or with higher ones. */
const makesCallers: ReadonlySet<ApprovalOperation> = new Set<ApprovalOperation>([
  'api_key_pair',
  'user',
  'spending_limit',
])

/**
 * Refuses to let a caller with a spending limit create, change or delete key pairs, people and spending limits:
 * another key pair would not have the limit, or a higher one. The caller may propose the request, and an approved proposal is executed.
 */
export function refuseNewCallers(app: App, world: World): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const operations = request.routeOptions.config.approval?.operations(request)
    if (request.inner || !operations?.some((operation) => makesCallers.has(operation))) return done()
    refuseLimited(world, request.caller.actor).then(() => done(), done)
  })
}

/** Throws 403 for a caller with a limit of any merchant account: callers belong to the instance. */
async function refuseLimited(world: World, { type, id }: Actor): Promise<void> {
  const limit = await world.db
    .selectFrom('spending_limits')
    .select('id')
    .where('subject_type', '=', type)
    .where('subject_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (limit)
    throw forbidden(
      'Callers with a spending limit cannot create, change or delete key pairs, people and spending limits: those would not have the limit. The same request may be proposed for approval: POST /proposals',
    )
}
