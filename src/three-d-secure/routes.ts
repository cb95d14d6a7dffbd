import type { Routes } from '../api/routes.ts'
import { threeDSConfigurationRoutes } from './configuration.routes.ts'
import { threeDSScenarioRoutes } from './scenario.routes.ts'

export const routes: readonly Routes[] = [threeDSConfigurationRoutes, threeDSScenarioRoutes]
