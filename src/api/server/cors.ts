import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

const shared = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['authorization', 'content-type', 'idempotency-key', 'x-request-id', 'x-svc-merchant-account-id'],
  exposedHeaders: ['x-request-id', 'retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
  maxAge: 600,
}

/**
 * Pages of any origin may call what they hold a credential for: an `embed` token, or the token of a session (SPEC §1). Credentials are not
 * allowed: a person’s cookie opens nothing to them. An OPTIONS request that is no preflight is answered like any other unknown method.
 */
export async function allowBrowsers(app: FastifyInstance): Promise<void> {
  // the plugin answers preflights on a route for any path; what else comes there is for a path that there is not
  app.addHook('onRoute', (route) => {
    if (route.url === '*') route.config = { ...route.config, scopes: 'public' }
  })
  await app.register(cors, {
    delegator: ({ headers }, done) => done(null, { ...shared, preflight: headers['access-control-request-method'] !== undefined }),
  })
}
