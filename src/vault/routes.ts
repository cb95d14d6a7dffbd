import type { Routes } from '../api/routes.ts'
import { accountUpdaterRoutes } from './account-updater/account-updater.routes.ts'
import { networkTokenRoutes } from './network-tokens/network-token.routes.ts'
import { networkTokenNotificationRoutes } from './network-tokens/network-token-notification.routes.ts'
import { vaultDefinitionRoutes } from './payment-methods/definition.routes.ts'
import { paymentMethodRoutes } from './payment-methods/payment-method.routes.ts'

export const routes: readonly Routes[] = [
  vaultDefinitionRoutes,
  paymentMethodRoutes,
  accountUpdaterRoutes,
  networkTokenRoutes,
  networkTokenNotificationRoutes,
]
