import type { App } from '../api/app.ts'
import { loggedUrl } from '../api/request/redact-url.ts'
import type { World } from '../world.ts'
import { countRequest } from './count-request.ts'

/** Counts each answered request, and writes one log line for it (docs/operations/logs.md). */
export function logRequests(app: App, world: World): void {
  app.addHook('onResponse', async (request, reply) => {
    countRequest(world, request, reply)
    // an overloaded process refuses thousands in a second, and each line would cost more than the answer
    if (request.isShed) return
    request.log.info(
      {
        method: request.method,
        url: loggedUrl(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        account: request.account || undefined,
        actor: request.caller?.actor.id,
        actor_type: request.caller?.actor.type,
        transaction: request.context?.transaction,
      },
      'request',
    )
  })
}
