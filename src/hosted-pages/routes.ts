import type { Routes } from '../api/routes.ts'
import { browserReportRoutes } from './browser-report.routes.ts'
import { pageIncidentRoutes } from './page-incident.routes.ts'

export const routes: readonly Routes[] = [pageIncidentRoutes, browserReportRoutes]
