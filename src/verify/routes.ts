import type { Routes } from '../api/routes.ts'
import { proofRoutes } from './proof.routes.ts'

export const routes: readonly Routes[] = [proofRoutes]
