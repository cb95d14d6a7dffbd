import cookie from '@fastify/cookie'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify from 'fastify'
import { movedClocks } from '../accounts/merchant-accounts/account-clock.store.ts'
import type { App } from '../api/app.ts'
import { documentApi } from '../api/openapi/openapi.ts'
import { provideRequestContext } from '../api/request/request-context.ts'
import { shedLoad } from '../api/server/admission.ts'
import { endUnusedConnections } from '../api/server/connections.ts'
import { allowBrowsers } from '../api/server/cors.ts'
import { collectAllowedMethods, handleErrors, refuseExpectation } from '../api/server/error-handler.ts'
import { awaitHandlers } from '../api/server/handlers-under-way.ts'
import { acceptJsonOnly } from '../api/server/json-body.ts'
import { protectAnswer } from '../api/server/protect-answer.ts'
import { refuseUnknownParameters } from '../api/server/query-parameters.ts'
import { serializerCompiler } from '../api/server/serialization.ts'
import { validatorCompiler } from '../api/server/validation.ts'
import { hideCredentials } from '../api/visibility/hide-credentials.ts'
import { hidePersonalData } from '../api/visibility/personal-data.ts'
import { requireApproval } from '../approvals/require-approval.ts'
import { applyEmbedConstraints } from '../embed/constrain-browsers.ts'
import { logRequests } from '../observability/log-requests.ts'
import { specialMasks } from '../privacy/masks.ts'
import { refuseNewCallers } from '../spending-limits/refuse-new-callers.ts'
import type { World } from '../world.ts'
import { admitRequests } from './admit-requests.ts'
import { documentFacts } from './document-facts.ts'
import { documentationPages } from './documentation-pages.ts'
import { routesOf } from './routes.ts'
import { limitPublicBodies, serverOptions } from './server-options.ts'

/**
 * Assembles the HTTP server; it does not listen yet. Hooks run in the order in which they are added here, and
 * a route has those alone that were added before it. `simulatorUrl` is where the sandbox's providers are;
 * undefined in production.
 */
export async function buildServer(world: World, simulatorUrl: string | undefined): Promise<App> {
  const { processRole } = world.settings
  const app = Fastify(serverOptions(world)).withTypeProvider<TypeBoxTypeProvider>()
  app.server.on('checkExpectation', refuseExpectation)
  endUnusedConnections(app)
  awaitHandlers(app)
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  // a session exchange may bring a body with GET, too
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  acceptJsonOnly(app)
  handleErrors(app, processRole)
  limitPublicBodies(app)
  const methods = collectAllowedMethods(app)
  await world.tracing.traceRequests(app)
  await allowBrowsers(app)
  shedLoad(app, world)
  await app.register(cookie)
  admitRequests(app, world)
  // also on answers to requests that came before the stop: a client that keeps this connection would send its
  // next request to a process that is gone
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (world.stopping) reply.header('connection', 'close')
    protectAnswer(reply)
    done(null, payload)
  })
  provideRequestContext(app, () => movedClocks(world))
  refuseUnknownParameters(app)
  hidePersonalData(app, specialMasks(['restricted']))
  hideCredentials(app)
  applyEmbedConstraints(app, world)
  refuseNewCallers(app, world)
  requireApproval(app, world)
  logRequests(app, world)
  if (processRole !== 'worker') {
    await documentApi(app, documentFacts(world.settings))
    await app.register(documentationPages)
  }
  for (const routes of routesOf(processRole, simulatorUrl)) routes(app, world)
  methods.refuseOtherMethods()
  await app.ready()
  return app
}
