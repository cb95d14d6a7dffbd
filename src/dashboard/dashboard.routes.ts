import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { notFound, orNotFound } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { html } from '../page/html.ts'
import type { World } from '../world.ts'
import { dashboardDocument, dashboardFile } from './files.ts'

const hidden = { config: { scopes: 'public' as const }, schema: { hide: true } }

/**
 * The dashboard's page and its files. Every path below `/dashboard` that a browser opens as a page has the same
 * document, whose script shows what the path names.
 */
export const dashboardRoutes: Routes = (app, world) => {
  const showDocument = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply.type('text/html; charset=utf-8').headers(documentHeaders).send(documentOf(world))
  app.get('/dashboard', hidden, showDocument)
  app.get('/dashboard/*', hidden, async (request, reply) => {
    // a script or an image that is missing must not be answered with a page
    if (!request.headers.accept?.includes('text/html')) throw notFound()
    return showDocument(request, reply)
  })

  app.get(
    '/dashboard/assets/:file',
    {
      config: { scopes: 'public' },
      schema: { hide: true, params: Type.Object({ file: Type.String({ maxLength: 200 }) }) },
    },
    async ({ params, headers }, reply): Promise<FastifyReply> => {
      const { type, content, gzipped } = orNotFound(dashboardFile(params.file))
      const isGzipped = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
      return reply
        .type(type)
        .headers({
          // the name has a hash of the content
          'cache-control': 'public, max-age=31536000, immutable',
          vary: 'accept-encoding',
          ...(isGzipped && { 'content-encoding': 'gzip' }),
        })
        .send(isGzipped ? gzipped : content)
    },
  )
}

/** Nothing of another server, no script or style within the page, and no page that shows it in a frame. */
const documentHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cross-origin-opener-policy': 'same-origin',
}

/**
 * The built document, with the paths that browsers see (a proxy may add a prefix), and with what the page must
 * show before anyone has signed in.
 */
function documentOf({ publicUrl, settings }: World): string {
  const document = dashboardDocument()
  if (document === undefined)
    return html`<!doctype html><html lang="en"><title>Railyard</title><p>The dashboard is not built. Run <code>npm run build --workspace dashboard</code>, and load this page again.</p></html>`
      .markup
  const base = new URL(publicUrl).pathname.replace(/\/$/, '')
  const attributes = html`data-base="${base}" data-environment="${settings.environment}"`.markup
  return document.replace('<html', `<html ${attributes}`).replaceAll('="./', `="${base}/dashboard/`)
}
