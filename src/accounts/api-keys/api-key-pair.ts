import type { Caller } from '../../api/auth/caller.ts'
import { readAssignedAccounts } from '../roles/assignable-accounts.ts'
import { readAssignedRoles, refuseRolesBeyondCaller } from '../roles/assignable-roles.ts'
import { type Role, roleBySlug } from '../roles/role.ts'

/** What a key pair may do. */
export interface Grant {
  /** Slugs. */
  roles: readonly string[]
  /** Empty: every merchant account. */
  merchantAccountIds: readonly string[]
  /** False: its tokens are refused. */
  active: boolean
}

/** What a request says of it; absent or null: it stays as it is. */
export interface GrantRequest {
  role_ids?: readonly string[] | null
  merchant_account_ids?: readonly string[] | null
  active?: boolean | null
}

/** What a new key pair begins with. */
export const emptyGrant: Grant = { roles: [], merchantAccountIds: [], active: true }

/**
 * What a key pair may do after the request of this caller (SEMANTICS §16.2). Throws 400 and 403 as `readAssignedRoles` and `readAssignedAccounts` do, and 403 where the pair keeps its roles
 * and would get more by them than the caller has: on other merchant accounts, or by being active again.
 */
export function resolveGrant(caller: Caller, before: Grant, request: GrantRequest): Grant {
  const roles = request.role_ids ? readAssignedRoles(caller, request.role_ids, 'api-key-pair').map(({ slug }) => slug) : before.roles
  const merchantAccountIds = request.merchant_account_ids ? readAssignedAccounts(caller, request.merchant_account_ids) : before.merchantAccountIds
  const active = request.active ?? before.active
  const reachesFurther = !isSubsetOfAccounts(merchantAccountIds, before.merchantAccountIds)
  if (reachesFurther || (active && !before.active)) refuseRolesBeyondCaller(caller, rolesBySlugs(roles))
  return { roles, merchantAccountIds, active }
}

/** Whether the one set of accounts is a part of the other; an empty one is all of them. */
const isSubsetOfAccounts = (some: readonly string[], others: readonly string[]): boolean =>
  others.length === 0 || (some.length > 0 && some.every((id) => others.includes(id)))

/** The roles with these slugs, in this order. */
export const rolesBySlugs = (slugs: readonly string[]): Role[] => slugs.map(roleBySlug).filter((role) => role !== undefined)

/** Whether it opens everything: what an instance must not lose the last of. */
export const isAdministratorGrant = ({ active, roles, merchantAccountIds }: Grant): boolean =>
  active && merchantAccountIds.length === 0 && roles.includes('administrator')
