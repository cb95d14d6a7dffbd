import type { Routes } from '../api/routes.ts'
import { attentionRoutes } from './attention.routes.ts'

export const routes: readonly Routes[] = [attentionRoutes]
