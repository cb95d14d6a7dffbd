import type { Routes } from '../api/routes.ts'
import { payoutRoutes } from './payout.routes.ts'

export const routes: readonly Routes[] = [payoutRoutes]
