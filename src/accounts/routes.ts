import type { Routes } from '../api/routes.ts'
import { apiKeyPairRoutes } from './api-keys/api-key-pair.routes.ts'
import { auditLogRoutes } from './audit-log/audit-log.routes.ts'
import { merchantAccountRoutes } from './merchant-accounts/merchant-account.routes.ts'
import { roleRoutes } from './roles/role.routes.ts'
import { signInRoutes } from './sign-in/sign-in.routes.ts'
import { invitationRoutes } from './users/invitation.routes.ts'
import { ownUserRoutes } from './users/own-user.routes.ts'
import { userRoutes } from './users/user.routes.ts'

export const routes: readonly Routes[] = [
  merchantAccountRoutes,
  signInRoutes,
  invitationRoutes,
  ownUserRoutes,
  userRoutes,
  roleRoutes,
  apiKeyPairRoutes,
  auditLogRoutes,
]
