import type { Routes } from '../api/routes.ts'
import { replayRoutes } from './replay/replay.routes.ts'
import { ruleRoutes } from './rules/rule.routes.ts'
import { ruleDraftRoutes } from './rules/rule-draft.routes.ts'

export const routes: readonly Routes[] = [replayRoutes, ruleRoutes, ruleDraftRoutes]
