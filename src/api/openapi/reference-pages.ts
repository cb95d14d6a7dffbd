import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

/** What of the pages' own answer is passed on; the rest is this server's business. */
const forwardedHeaders = ['content-type', 'location', 'cache-control', 'etag'] as const

interface Answer {
  statusCode: number
  headers: Record<string, number | string | string[] | undefined>
  rawPayload: Buffer
}

/**
 * The pages that `/openapi.json` is read on. They are four megabytes of script, loaded when somebody first looks: at every start they would cost
 * 170 ms and 40 MB. They would be a quarter of a production install, which does without (`npm ci --omit=dev`): whoever looks is sent to the document itself then.
 */
export function referencePages(app: FastifyInstance, load = loadPages): void {
  let pages: Promise<FastifyInstance | undefined> | undefined
  // the script is the same for everybody: one copy, however many read it slowly
  const scripts = new Map<string, Answer>()
  const ask = async (url: string, host: string): Promise<Answer> => {
    pages ??= load()
    const reference = await pages
    if (!reference) return redirectToDocument
    const { statusCode, headers, rawPayload } = await reference.inject({ url, headers: { host } })
    return { statusCode, headers, rawPayload }
  }
  const scriptAt = async (path: string, host: string): Promise<Answer> => {
    const script = scripts.get(path) ?? (await ask(path, host))
    if (script.statusCode === 200) scripts.set(path, script)
    return script
  }
  const show = async ({ url, host }: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = url.split('?')
    // no page of it has an escaped name: other spellings of one would each be kept as another script
    if (path.includes('%')) return reply.callNotFound()
    const page = path.endsWith('.js') ? await scriptAt(path, host) : await ask(url, host)
    for (const name of forwardedHeaders) {
      const value = page.headers[name]
      if (value !== undefined) reply.header(name, value)
    }
    if (isDocument(page)) reply.header('content-security-policy', contentSecurityPolicy(page.rawPayload.toString()))
    return reply.code(page.statusCode).send(page.rawPayload)
  }
  app.get('/docs', { schema: { hide: true }, config: { scopes: 'public' } }, show)
  app.get('/docs/*', { schema: { hide: true }, config: { scopes: 'public' } }, show)
}

const isDocument = ({ headers }: Answer) => String(headers['content-type']).startsWith('text/html')

/**
 * What the page may do: run the script that is served beside it and what the page itself begins with, and ask this server. An administrator's token is pasted into it, and goes to no
 * other one; its fonts would come from a stranger's.
 */
function contentSecurityPolicy(page: string): string {
  const own = Array.from(page.matchAll(/<script type="text\/javascript">([\s\S]*?)<\/script>/g), ([, script = '']) =>
    createHash('sha256').update(script).digest('base64'),
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${own.map((hash) => `'sha256-${hash}'`).join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

const redirectToDocument: Answer = { statusCode: 302, headers: { location: '/openapi.json' }, rawPayload: Buffer.alloc(0) }

/** Undefined: they are not installed. */
async function loadPages(): Promise<FastifyInstance | undefined> {
  const scalar = await import('@scalar/fastify-api-reference').catch(undefinedIfMissing)
  if (!scalar) return undefined
  const pages = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await pages.register(scalar.default, { routePrefix: '/docs', configuration: { url: '/openapi.json', theme: 'default', pageTitle: 'Railyard' } })
  return pages
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
}
