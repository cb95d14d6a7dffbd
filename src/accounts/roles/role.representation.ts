import type { Role as ShownRole } from './role.schema.ts'
import type { Role } from './role.ts'

export const showRole = (role: Role): ShownRole => ({
  type: 'role',
  id: role.id,
  name: role.name,
  slug: role.slug,
  description: role.description,
  permissions: { allow: [...role.scopes] },
  assignable_to: [...role.assignableTo],
  applies_to: [...role.appliesTo],
  is_standalone_assignable: role.appliesTo.length === 0,
})
