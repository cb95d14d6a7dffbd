import type { Routes } from '../api/routes.ts'
import { explorerRoutes } from './explorer.routes.ts'
import { presetRoutes } from './preset.routes.ts'

export const routes: readonly Routes[] = [explorerRoutes, presetRoutes]
