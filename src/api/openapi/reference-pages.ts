import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

/** The headers of the pages' answer that are passed on; this server sets the others. */
const forwardedHeaders = ['content-type', 'location', 'cache-control', 'etag'] as const

interface Answer {
  statusCode: number
  headers: Record<string, number | string | string[] | undefined>
  rawPayload: Buffer
}

/**
 * Serves the API reference (`/docs`), which shows `/openapi.json`. It has four megabytes of script and is
 * loaded at the first request: at every start it would cost 170 ms and 40 MB. A production install lacks it
 * (`npm ci --omit=dev`), since it would be a quarter of the install; `/docs` then redirects to the document.
 */
export function referencePages(app: FastifyInstance, load = loadPages): void {
  let pages: Promise<FastifyInstance | undefined> | undefined
  // one copy of each script, however many clients read it slowly
  const scripts = new Map<string, Answer>()
  const fetchPage = async (url: string, host: string): Promise<Answer> => {
    pages ??= load()
    const reference = await pages
    if (!reference) return redirectToDocument
    const { statusCode, headers, rawPayload } = await reference.inject({ url, headers: { host } })
    return { statusCode, headers, rawPayload }
  }
  const fetchScript = async (path: string, host: string): Promise<Answer> => {
    const script = scripts.get(path) ?? (await fetchPage(path, host))
    if (script.statusCode === 200) scripts.set(path, script)
    return script
  }
  const show = async ({ url, host }: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = url.split('?')
    // no page has an escaped name, and each other spelling of a script's name would keep another copy
    if (path.includes('%')) return reply.callNotFound()
    const page = path.endsWith('.js') ? await fetchScript(path, host) : await fetchPage(url, host)
    for (const name of forwardedHeaders) {
      const value = page.headers[name]
      if (value !== undefined) reply.header(name, value)
    }
    if (isDocument(page))
      reply.header('content-security-policy', contentSecurityPolicy(page.rawPayload.toString()))
    return reply.code(page.statusCode).send(page.rawPayload)
  }
  app.get('/docs', { schema: { hide: true }, config: { scopes: 'public' } }, show)
  app.get('/docs/*', { schema: { hide: true }, config: { scopes: 'public' } }, show)
}

const isDocument = ({ headers }: Answer) => String(headers['content-type']).startsWith('text/html')

/**
 * The page may run its own inline script and the one that is served beside it, and may call this server only:
 * people paste an administrator's token into it. Fonts of other servers are not loaded.
 */
function contentSecurityPolicy(page: string): string {
  const inlineScripts = Array.from(
    page.matchAll(/<script type="text\/javascript">([\s\S]*?)<\/script>/g),
    ([, script = '']) => createHash('sha256').update(script).digest('base64'),
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${inlineScripts.map((hash) => `'sha256-${hash}'`).join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

const redirectToDocument: Answer = {
  statusCode: 302,
  headers: { location: '/openapi.json' },
  rawPayload: Buffer.alloc(0),
}

/** Undefined: the pages are not installed. */
async function loadPages(): Promise<FastifyInstance | undefined> {
  const scalar = await import('@scalar/fastify-api-reference').catch(undefinedIfMissing)
  if (!scalar) return undefined
  const pages = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await pages.register(scalar.default, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      theme: 'default',
      pageTitle: 'Railyard',
      // nothing of other hosts: no fonts, no links to the maker's client, no assistant, no statistics
      withDefaultFonts: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      telemetry: false,
      customCss: 'a[href*="scalar.com"] { display: none !important }',
    },
  })
  return pages
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
}
