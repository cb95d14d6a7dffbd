import type { FastifyInstance } from 'fastify'
import { badRequest } from '../api/errors.ts'
import { referencePages } from '../api/openapi/reference-pages.ts'

/** A plugin: the pages that show `/openapi.json`. They need no bearer. */
export async function documentationPages(app: FastifyInstance): Promise<void> {
  // the pages build URLs from the host header
  app.addHook('onRequest', async ({ host }) => {
    if (!URL.canParse(`http://${host}`)) throw badRequest('The host header does not name a host')
  })
  referencePages(app)
}
