import type { Routes } from '../api/routes.ts'
import { buyerRoutes } from './buyer.routes.ts'
import { shippingDetailsRoutes } from './shipping-details.routes.ts'

export const routes: readonly Routes[] = [buyerRoutes, shippingDetailsRoutes]
