import type { Routes } from '../api/routes.ts'
import { erasureRoutes } from './erasure.routes.ts'

export const routes: readonly Routes[] = [erasureRoutes]
