import type { Caller } from '../../api/auth/caller.ts'
import { readAssignedAccounts } from '../roles/assignable-accounts.ts'
import { readAssignedRoles, refuseRolesBeyondCaller } from '../roles/assignable-roles.ts'
import { rolesBySlugs } from '../roles/role.ts'

/** The roles and merchant accounts of a key pair: what its tokens may do. */
export interface Grant {
  /** Slugs of roles. */
  roles: readonly string[]
  /** Empty: every merchant account. */
  merchantAccountIds: readonly string[]
  /** False: its tokens are refused. */
  active: boolean
}

/** The members of a request that change a grant; absent or null: no change. */
export interface GrantRequest {
  role_ids?: readonly string[] | null
  merchant_account_ids?: readonly string[] | null
  active?: boolean | null
}

/** The grant that a new key pair's request is applied to. */
export const emptyGrant: Grant = { roles: [], merchantAccountIds: [], active: true }

/**
 * The grant of a key pair after this caller's request (semantics §16.2). Throws 400 and 403 as
 * `readAssignedRoles` and `readAssignedAccounts` do, and 403 if the pair keeps roles that open more than the
 * caller may do and would get further merchant accounts, or become active again.
 */
export function resolveGrant(caller: Caller, before: Grant, request: GrantRequest): Grant {
  const roles = request.role_ids
    ? readAssignedRoles(caller, request.role_ids, 'api-key-pair').map(({ slug }) => slug)
    : before.roles
  const merchantAccountIds = request.merchant_account_ids
    ? readAssignedAccounts(caller, request.merchant_account_ids)
    : before.merchantAccountIds
  const active = request.active ?? before.active
  const reachesFurther = !isSubsetOfAccounts(merchantAccountIds, before.merchantAccountIds)
  if (reachesFurther || (active && !before.active)) refuseRolesBeyondCaller(caller, rolesBySlugs(roles))
  return { roles, merchantAccountIds, active }
}

/** Whether a limit to merchant accounts lies within another; an empty limit means all accounts. */
const isSubsetOfAccounts = (inner: readonly string[], outer: readonly string[]): boolean =>
  outer.length === 0 || (inner.length > 0 && inner.every((id) => outer.includes(id)))

/**
 * Whether this is an active administrator of the whole instance: `refuseLosingLastAdministrator` keeps one.
 */
export const isAdministratorGrant = ({ active, roles, merchantAccountIds }: Grant): boolean =>
  active && merchantAccountIds.length === 0 && roles.includes('administrator')
