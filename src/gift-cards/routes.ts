import type { Routes } from '../api/routes.ts'
import { buyerGiftCardRoutes } from './buyer-gift-card.routes.ts'
import { giftCardRoutes } from './gift-card.routes.ts'
import { giftCardServiceRoutes } from './services/gift-card-service.routes.ts'

export const routes: readonly Routes[] = [giftCardServiceRoutes, giftCardRoutes, buyerGiftCardRoutes]
