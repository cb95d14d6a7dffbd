import { findSigningKey, makeKeyUsageRecorder } from '../accounts/api-keys/signing-key.ts'
import { cachedMerchantAccount } from '../accounts/merchant-accounts/merchant-account.store.ts'
import { identifyBySessionOrBearer } from '../accounts/sign-in/session-caller.ts'
import type { App } from '../api/app.ts'
import { createAuthentication, type IdentifyCaller, identifyByBearer } from '../api/auth/caller.ts'
import { tokenVerifier } from '../api/auth/token.ts'
import { noSuchPath, serviceUnavailable } from '../api/errors.ts'
import { acceptInnerRequests, recognizeInnerRequest } from '../api/request/inner-requests.ts'
import { refuseMissingHost } from '../api/server/error-handler.ts'
import { refuseMisspeltHeaders } from '../api/server/request-headers.ts'
import type { World } from '../world.ts'

/** Authenticates each request, or refuses it, before its body is read. */
export function admitRequests(app: App, world: World): void {
  const directory = {
    accountExists: async (id: string) => (await cachedMerchantAccount(world, id)) !== undefined,
  }
  const verify = tokenVerifier(
    world.machineClock,
    (kid) => findSigningKey(world, kid),
    world.settings.tokenLifetime,
  )
  const identifyClient = identifyBySessionOrBearer(world, identifyByBearer(verify))
  const identify: IdentifyCaller = async (request) => request.inner?.caller ?? identifyClient(request)
  const authenticate = createAuthentication(identify, directory)
  app.decorate('identify', identify)
  const recordKeyUse = makeKeyUsageRecorder(world)
  app.decorateRequest('account', '')
  acceptInnerRequests(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    if (request.routeOptions.config.scopes !== 'public' && world.isDatabaseUnavailable())
      throw serviceUnavailable('the database does not answer')
    recognizeInnerRequest(app, request)
    refuseMissingHost(request)
    refuseMisspeltHeaders(request.raw)
    if (request.is404) throw noSuchPath(world.settings.processRole)
    await authenticate(request)
    if (request.caller?.actor.type === 'api-key-pair') recordKeyUse(request.caller.actor.id)
  })
}
