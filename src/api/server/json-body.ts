import type { FastifyInstance } from 'fastify'
import { duplicateMembers } from '../errors.ts'
import { hasDuplicateMembers } from './json-members.ts'

/**
 * Accepts bodies of the content type `application/json` only, and refuses duplicate members. An empty body
 * counts as none: many clients send the content type with requests that have no body. Operations that need a
 * body refuse such a request later.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.decorateRequest('text', '')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (request.routeOptions.config.keepsText) request.text = body
    if (body === '') return done(null, undefined)
    parse(request, body, (error: Error | null, parsed?: unknown) => {
      done(error ?? (hasDuplicateMembers(body, parsed) ? duplicateMembers() : null), parsed)
    })
  })
}
