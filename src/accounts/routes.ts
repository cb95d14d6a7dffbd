import type { Routes } from '../api/routes.ts'
import { apiKeyPairRoutes } from './api-keys/api-key-pair.routes.ts'
import { auditLogRoutes } from './audit-log/audit-log.routes.ts'
import { merchantAccountRoutes } from './merchant-accounts/merchant-account.routes.ts'
import { passkeyRoutes } from './passkeys/passkey.routes.ts'
import { passkeySignInRoutes } from './passkeys/passkey-sign-in.routes.ts'
import { roleRoutes } from './roles/role.routes.ts'
import { savedViewRoutes } from './saved-views/saved-view.routes.ts'
import { ownSessionRoutes } from './sign-in/own-session.routes.ts'
import { signInRoutes } from './sign-in/sign-in.routes.ts'
import { signInLinkRoutes } from './sign-in/sign-in-link.routes.ts'
import { invitationRoutes } from './users/invitation.routes.ts'
import { ownUserRoutes } from './users/own-user.routes.ts'
import { userRoutes } from './users/user.routes.ts'

export const routes: readonly Routes[] = [
  merchantAccountRoutes,
  signInRoutes,
  signInLinkRoutes,
  passkeySignInRoutes,
  invitationRoutes,
  ownUserRoutes,
  ownSessionRoutes,
  passkeyRoutes,
  userRoutes,
  roleRoutes,
  apiKeyPairRoutes,
  auditLogRoutes,
  savedViewRoutes,
]
