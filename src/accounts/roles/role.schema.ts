import { type Static, Type } from 'typebox'
import { Closed, Described, Page, Uuid, Words } from '../../api/schema.ts'

export const PermissionSet = Closed('PermissionSet', {
  allow: Described(Type.Array(Type.String()), 'The scopes that the role opens'),
})

export const Role = Closed('Role', {
  type: Type.Literal('role'),
  id: Uuid,
  name: Type.String(),
  slug: Type.String(),
  description: Type.String(),
  permissions: PermissionSet,
  assignable_to: Type.Array(Words('user', 'api-key-pair')),
  applies_to: Described(
    Type.Array(Type.String()),
    'For an add-on, the slugs of the roles that it may be given beside; empty: it can be given alone',
  ),
  is_standalone_assignable: Type.Boolean(),
})
export type Role = Static<typeof Role>

export const Roles = Page('Roles', Role)
