import { AsyncLocalStorage } from 'node:async_hooks'
import type { Actor } from './caller.ts'
import type { App } from './routes.ts'

/** The request that is being answered, for what is written about it on the way: the audit log, log lines, traces. */
export interface RequestContext {
  id: string
  /** Who asks; absent on operations that need no bearer. */
  actor: Actor | undefined
}

const requests = new AsyncLocalStorage<RequestContext>()

/** Undefined outside of requests: jobs act for nobody. */
export const currentRequest = (): RequestContext | undefined => requests.getStore()

/** Does `work` as this request, also what it does later. */
export const asRequest = <T>(context: RequestContext, work: () => T): T => requests.run(context, work)

/** From where the caller is known and the body is read, the handler runs with its request's context. */
export function rememberRequests(app: App): void {
  app.addHook('preHandler', (request, _reply, done) => {
    requests.run({ id: request.id, actor: request.caller?.actor }, done)
  })
}
