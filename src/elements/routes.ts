import type { Routes } from '../api/routes.ts'
import { approvalRoutes } from './approval.routes.ts'
import { elementsConfigurationRoutes } from './elements-configuration.routes.ts'
import { frameRoutes } from './frame.routes.ts'
import { threeDSMethodRoutes } from './three-ds-method.routes.ts'

export const routes: readonly Routes[] = [
  elementsConfigurationRoutes,
  frameRoutes,
  approvalRoutes,
  threeDSMethodRoutes,
]
