import { createHash, timingSafeEqual } from 'node:crypto'
import { noSuchPath, unauthorized } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { createScraper } from './scrape.ts'

/** For Prometheus (docs/operations/metrics.md). In production it takes a token: without one in the settings there is nothing to see. */
export const metricsRoutes: Routes = (app, world) => {
  const { metricsToken, environment, processRole } = world.settings
  let scrape: (() => Promise<string>) | undefined
  app.get('/metrics', { config: { scopes: 'public' }, schema: { hide: true } }, async ({ headers }, reply) => {
    if (metricsToken === undefined && environment === 'production') throw noSuchPath(processRole)
    if (metricsToken !== undefined && !isBearer(headers.authorization, metricsToken)) throw unauthorized('the bearer is not METRICS_TOKEN')
    scrape ??= createScraper(world)
    return reply.type(world.metrics.registry.contentType).send(await scrape())
  })
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compared as hashes: how long it takes tells nothing of the token. */
const isBearer = (given: string | undefined, token: string): boolean => timingSafeEqual(digest(given ?? ''), digest(`Bearer ${token}`))
