import { type Caller, canUseScope } from '../../api/auth/caller.ts'
import { forbidden, invalid } from '../../api/errors.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import { type Role, type RoleAssignee, roleById } from './role.ts'

/**
 * Reads `ids`, the `role_ids` of a request for a person or a key pair: each role once. Throws 400 if a role
 * does not exist, is not for such an `assignee`, or is an add-on without a role that it applies to; 403 if
 * the caller may not give it (semantics §16.2).
 */
export function readAssignedRoles(caller: Caller, ids: readonly string[], assignee: RoleAssignee): Role[] {
  const requested = ids.map((id) => roleById(canonicalId(id)))
  const slugs = new Set(requested.map((role) => role?.slug))
  const problems = requested.flatMap((role, index) => {
    const problem = assignmentProblem(role, slugs, assignee)
    return problem ? [[`/role_ids/${index}`, problem] as const] : []
  })
  if (problems.length > 0) throw invalid(Object.fromEntries(problems))
  const assigned = [...new Set(requested.filter((role) => role !== undefined))]
  if (assignee === 'user') refuseUnassignableRoles(caller, assigned)
  else refuseRolesBeyondCaller(caller, assigned)
  return assigned
}

/** Why the role cannot be given beside the roles with these slugs; undefined: it can. */
function assignmentProblem(
  role: Role | undefined,
  slugs: ReadonlySet<string | undefined>,
  assignee: RoleAssignee,
): string | undefined {
  if (!role) return 'is not the id of a role; GET /roles lists them'
  if (!role.assignableTo.includes(assignee))
    return `names the role ${role.slug}, which is not for ${assigneeNames[assignee]}`
  const isApplicable = role.appliesTo.length === 0 || role.appliesTo.some((slug) => slugs.has(slug))
  return isApplicable
    ? undefined
    : `names the role ${role.slug}, which is given beside ${role.appliesTo.join(' or ')} only`
}

const assigneeNames = { user: 'people', 'api-key-pair': 'API key pairs' } as const satisfies Record<
  RoleAssignee,
  string
>

/**
 * Throws 403 if a role opens something that the caller may not do: a caller cannot give more than they have.
 */
export function refuseRolesBeyondCaller(caller: Caller, roles: readonly Role[]): void {
  const unheld = roles.find((role) => !role.scopes.every((scope) => hasScope(caller, scope)))
  if (unheld) throw forbidden(`The role ${unheld.slug} opens more than you may do yourself`)
}

/**
 * Throws 403 if the caller may not give a person one of these roles. A caller with `users.write` may give
 * roles that they lack, except one that opens everything (semantics §16.3, user manager).
 */
export function refuseUnassignableRoles(caller: Caller, roles: readonly Role[]): void {
  refuseRolesBeyondCaller(caller, canUseScope(caller, 'users.write') ? roles.filter(grantsEverything) : roles)
}

const grantsEverything = ({ scopes }: Role) => scopes.includes('*.read') || scopes.includes('*.write')

/**
 * A caller with `*.read` and `*.write` counts as having `embed`: each operation that `embed` opens has a
 * scope of its own, too. A server's token cannot name `embed` itself, since it would count as a browser's.
 */
const hasScope = (caller: Caller, scope: string): boolean =>
  canUseScope(caller, scope) ||
  (scope === 'embed' && canUseScope(caller, '*.read') && canUseScope(caller, '*.write'))
