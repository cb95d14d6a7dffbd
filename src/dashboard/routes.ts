import { dashboardRoutes } from './dashboard.routes.ts'

export const routes = [dashboardRoutes]
