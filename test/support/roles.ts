import { roles } from '../../src/accounts/roles/role.ts'

/** The ids of the roles with these slugs, as requests name them. */
export function roleIds(...slugs: string[]): string[] {
  const named = roles.filter(({ slug }) => slugs.includes(slug))
  if (named.length !== slugs.length) throw new Error(`one of ${slugs} is no role`)
  return named.map(({ id }) => id)
}
