import type { Routes } from '../api/routes.ts'
import { explorerRoutes } from './explorer.routes.ts'
import { presetRoutes } from './preset.routes.ts'
import { summaryRoutes } from './summary.routes.ts'

export const routes: readonly Routes[] = [explorerRoutes, summaryRoutes, presetRoutes]
