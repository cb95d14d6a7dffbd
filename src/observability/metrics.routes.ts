import { createHash, timingSafeEqual } from 'node:crypto'
import { noSuchPath, unauthorized } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { createScraper } from './scrape.ts'

/**
 * For Prometheus (docs/operations/metrics.md). Production needs a token: without one in the settings the path
 * does not exist.
 */
export const metricsRoutes: Routes = (app, world) => {
  const { metricsToken, environment, processRole } = world.settings
  let scrape: (() => Promise<string>) | undefined
  app.get(
    '/metrics',
    { config: { scopes: 'public' }, schema: { hide: true } },
    async ({ headers }, reply) => {
      if (metricsToken === undefined && environment === 'production') throw noSuchPath(processRole)
      if (metricsToken !== undefined && !isBearer(headers.authorization, metricsToken))
        throw unauthorized('the bearer is not METRICS_TOKEN')
      scrape ??= createScraper(world)
      return reply.type(world.metrics.registry.contentType).send(await scrape())
    },
  )
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compares hashes, so that the time it takes reveals nothing of the token. */
const isBearer = (header: string | undefined, token: string): boolean =>
  timingSafeEqual(digest(header ?? ''), digest(`Bearer ${token}`))
