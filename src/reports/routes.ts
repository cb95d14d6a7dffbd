import type { Routes } from '../api/routes.ts'
import { reportExecutionRoutes } from './executions/execution.routes.ts'
import { reportFileRoutes } from './executions/file.routes.ts'
import { reportRoutes } from './report.routes.ts'

export const routes: readonly Routes[] = [reportRoutes, reportExecutionRoutes, reportFileRoutes]
