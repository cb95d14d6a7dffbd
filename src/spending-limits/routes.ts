import type { Routes } from '../api/routes.ts'
import { spendingLimitRoutes } from './spending-limit.routes.ts'

export const routes: readonly Routes[] = [spendingLimitRoutes]
