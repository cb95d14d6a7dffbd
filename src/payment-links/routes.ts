import type { Routes } from '../api/routes.ts'
import { payPageRoutes } from './page/page.routes.ts'
import { payRoutes } from './page/pay.routes.ts'
import { paymentLinkRoutes } from './payment-link.routes.ts'

export const routes: readonly Routes[] = [paymentLinkRoutes, payPageRoutes, payRoutes]
