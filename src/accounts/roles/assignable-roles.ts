import { type Caller, canUseScope } from '../../api/auth/caller.ts'
import { forbidden, invalid } from '../../api/errors.ts'
import { type Role, type RoleAssignee, roleById } from './role.ts'

/**
 * The roles that `ids`, the `role_ids` of a request, name for a person or a key pair, each once. Throws 400 where one does not exist, is not for such an `assignee`, or is
 * an add-on without a role that it applies to; 403 where one opens what the caller may not do (SEMANTICS §16.2).
 */
export function readAssignedRoles(caller: Caller, ids: readonly string[], assignee: RoleAssignee): Role[] {
  const named = ids.map((id) => roleById(id.toLowerCase()))
  const slugs = new Set(named.map((role) => role?.slug))
  const problems = named.map((role) => assignmentProblem(role, slugs, assignee))
  const blamed = problems.flatMap((problem, index) => (problem ? [[`/role_ids/${index}`, problem] as const] : []))
  if (blamed.length > 0) throw invalid(Object.fromEntries(blamed))
  const assigned = [...new Set(named.filter((role) => role !== undefined))]
  if (assignee === 'user') refuseUnassignableRoles(caller, assigned)
  else refuseRolesBeyondCaller(caller, assigned)
  return assigned
}

function assignmentProblem(role: Role | undefined, slugs: ReadonlySet<string | undefined>, assignee: RoleAssignee): string | undefined {
  if (!role) return 'is not the id of a role; GET /roles lists them'
  if (!role.assignableTo.includes(assignee)) return `names the role ${role.slug}, which is not for ${assigneeNames[assignee]}`
  const stands = role.appliesTo.length === 0 || role.appliesTo.some((slug) => slugs.has(slug))
  return stands ? undefined : `names the role ${role.slug}, which is given beside ${role.appliesTo.join(' or ')} only`
}

const assigneeNames = { user: 'people', 'api-key-pair': 'API key pairs' } as const satisfies Record<RoleAssignee, string>

/** Throws 403 where a role opens what the caller may not do: nobody gives others more than they have themselves. */
export function refuseRolesBeyondCaller(caller: Caller, roles: readonly Role[]): void {
  const unheld = roles.find((role) => !role.scopes.every((scope) => hasScope(caller, scope)))
  if (unheld) throw forbidden(`The role ${unheld.slug} opens more than you may do yourself`)
}

/**
 * Throws 403 where a person may not be given a role by this caller. Whoever manages people gives them roles that they need not have themselves, and never one that
 * opens everything (SEMANTICS §16.3, user manager).
 */
export function refuseUnassignableRoles(caller: Caller, roles: readonly Role[]): void {
  refuseRolesBeyondCaller(caller, canUseScope(caller, 'users.write') ? roles.filter(grantsEverything) : roles)
}

const grantsEverything = ({ scopes }: Role) => scopes.includes('*.read') || scopes.includes('*.write')

/** Every operation that `embed` opens is opened by its own scope, too, and a server's token does not name `embed`: it would count as a browser's. */
const hasScope = (caller: Caller, scope: string): boolean =>
  canUseScope(caller, scope) || (scope === 'embed' && canUseScope(caller, '*.read') && canUseScope(caller, '*.write'))
