import type { Routes } from '../api/routes.ts'
import { incidentRoutes } from './incident.routes.ts'
import { metricRoutes } from './metric.routes.ts'

export const routes: readonly Routes[] = [metricRoutes, incidentRoutes]
