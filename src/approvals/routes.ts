import type { Routes } from '../api/routes.ts'
import { approvalPolicyRoutes } from './policies/approval-policy.routes.ts'
import { proposalRoutes } from './proposals/proposal.routes.ts'

export const routes: readonly Routes[] = [approvalPolicyRoutes, proposalRoutes]
