import type { Routes } from '../api/routes.ts'
import { healthRoutes } from './health.routes.ts'
import { metricsRoutes } from './metrics.routes.ts'

/**
 * What every process serves, whatever its role. `simulatorUrl` is where the sandbox's providers are;
 * undefined in production.
 */
export const routes = (simulatorUrl: string | undefined): readonly Routes[] => [
  healthRoutes(simulatorUrl),
  metricsRoutes,
]
