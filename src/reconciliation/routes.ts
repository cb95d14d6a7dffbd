import type { Routes } from '../api/routes.ts'
import { settlementRoutes } from './settlement.routes.ts'
import { unmatchedLineRoutes } from './unmatched-line.routes.ts'

export const routes: readonly Routes[] = [settlementRoutes, unmatchedLineRoutes]
