import type { Routes } from '../api/routes.ts'
import { connectionRoutes } from './connection.routes.ts'
import { definitionRoutes } from './definitions/definition.routes.ts'
import { paymentServiceHealthRoutes } from './health/payment-service-health.routes.ts'
import { paymentServiceRoutes } from './payment-service.routes.ts'
import { paymentServiceTokenRoutes } from './tokens/payment-service-token.routes.ts'

export const routes: readonly Routes[] = [
  definitionRoutes,
  paymentServiceRoutes,
  paymentServiceHealthRoutes,
  connectionRoutes,
  paymentServiceTokenRoutes,
]
