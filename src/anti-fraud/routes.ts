import type { Routes } from '../api/routes.ts'
import { antiFraudServiceRoutes } from './anti-fraud-service.routes.ts'
import { antiFraudDefinitionRoutes } from './definition.routes.ts'

export const routes: readonly Routes[] = [antiFraudServiceRoutes, antiFraudDefinitionRoutes]
