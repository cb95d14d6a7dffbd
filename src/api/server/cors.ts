import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

const shared = {
  origin: '*',
  methods: ['GET', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: [
    'authorization',
    'content-type',
    'idempotency-key',
    'x-request-id',
    'x-svc-merchant-account-id',
  ],
  exposedHeaders: [
    'x-request-id',
    'retry-after',
    'ratelimit-limit',
    'ratelimit-remaining',
    'ratelimit-reset',
  ],
  maxAge: 600,
}

/**
 * Lets pages of any origin call the API with a token that they hold: an `embed` token, or the token of a
 * session (API §1). CORS credentials are not allowed, so a person's cookie opens nothing to such a page. An
 * OPTIONS request that is not a preflight is answered like any other unknown method.
 */
export async function allowBrowsers(app: FastifyInstance): Promise<void> {
  // the plugin answers preflights on the route `*`; any other request that reaches it has a path that does
  // not exist
  app.addHook('onRoute', (route) => {
    if (route.url === '*') route.config = { ...route.config, scopes: 'public' }
  })
  await app.register(cors, {
    delegator: ({ headers }, done) =>
      done(null, { ...shared, preflight: headers['access-control-request-method'] !== undefined }),
  })
}
