import { request as send } from 'undici'
import type { App } from '../../api/app.ts'
import { ApiError } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import { sandboxPagesPrefix as prefix } from '../../page/sandbox-pages.ts'

/** The paths that a buyer's browser may request. It may not reach a provider's API. */
const pages = /^\/((wallet|bnpl|redirect)\/[^/]+\/(checkout|sdk|sdk\.js)|3ds\/acs\/(challenge|method))(\/|$)/
const forwardedRequestHeaders = [
  'accept',
  'content-type',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
]
const forwardedResponseHeaders = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'cache-control',
  'content-security-policy',
  'content-type',
  'location',
  'referrer-policy',
  'x-content-type-options',
]
const TIMEOUT_MS = 15_000

/**
 * Serves the pages of the sandbox's providers under the server's own URL: the simulators' port is not
 * reachable for browsers and changes with each start. It knows nothing of the pages' content.
 */
export const pageRoutes =
  (simulatorUrl: string): Routes =>
  (app) => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      proxyPages(scope as unknown as App, simulatorUrl)
    })
  }

function proxyPages(scope: App, simulatorUrl: string): void {
  scope.route({
    method: ['GET', 'POST'],
    url: `${prefix}/*`,
    config: { scopes: 'public' },
    schema: { hide: true },
    async handler({ method, url, headers, body }, reply) {
      if (!url.startsWith(`${prefix}/`)) return reply.callNotFound()
      // the path that the simulator would get: `/../` may have led away from a page
      const page = URL.parse(`${simulatorUrl}${url.slice(prefix.length)}`)
      if (!page || !pages.test(page.pathname)) return reply.callNotFound()
      const answer = await send(page, {
        method: method === 'POST' ? 'POST' : 'GET',
        headers: Object.fromEntries(
          forwardedRequestHeaders.flatMap((name) =>
            typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
          ),
        ),
        body: body instanceof Buffer ? body : null,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch(() => {
        throw new ApiError(502, 'bad_gateway', 'The sandbox’s provider cannot be reached')
      })
      for (const name of forwardedResponseHeaders)
        if (answer.headers[name] !== undefined) reply.header(name, answer.headers[name])
      return reply.code(answer.statusCode).send(Buffer.from(await answer.body.arrayBuffer()))
    },
  })
}
