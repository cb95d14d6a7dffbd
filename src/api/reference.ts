import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

/** What of the pages' own answer is passed on; the rest is this server's business. */
const passedOn = ['content-type', 'location', 'cache-control', 'etag'] as const

/**
 * The pages that `/openapi.json` is read on. They are four megabytes of script, loaded when somebody first looks: at every start they would cost
 * 170 ms and 40 MB.
 */
export function referencePages(app: FastifyInstance): void {
  let pages: Promise<FastifyInstance> | undefined
  const show = async ({ url, host }: FastifyRequest, reply: FastifyReply) => {
    pages ??= load()
    const page = await (await pages).inject({ url, headers: { host } })
    for (const name of passedOn) {
      const value = page.headers[name]
      if (value !== undefined) reply.header(name, value)
    }
    return reply.code(page.statusCode).send(page.rawPayload)
  }
  app.get('/docs', { schema: { hide: true }, config: { scopes: 'public' } }, show)
  app.get('/docs/*', { schema: { hide: true }, config: { scopes: 'public' } }, show)
}

async function load(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const pages = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await pages.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json', theme: 'default', pageTitle: 'Railyard' } })
  return pages
}
