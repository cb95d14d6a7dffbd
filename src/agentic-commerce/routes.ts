import type { Routes } from '../api/routes.ts'
import { checkoutRoutes } from './checkouts/checkout.routes.ts'
import { sellerRoutes } from './sellers/seller.routes.ts'

export const routes: readonly Routes[] = [sellerRoutes, checkoutRoutes]
